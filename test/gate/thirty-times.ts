/** Files that `npm run soak` runs three times as often: they failed by chance once, or their waits were changed. */
export const thirtyTimes: readonly string[] = [
  'test/spec/account-limit.test.ts',
  'test/spec/chat-bounds.test.ts',
  'test/spec/chat-crowds.test.ts',
  'test/spec/chat-two-daemons.test.ts',
  'test/spec/hosts-links.test.ts',
  'test/spec/silence.test.ts',
  'test/spec/store-rebuilt.test.ts',
  'test/spec/store-replaced.test.ts',
  'test/spec/store-trouble.test.ts',
  'test/spec/traces.test.ts',
  'test/tiers/in-memory-only.test.ts',
]
