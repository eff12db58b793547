/** Files that `npm run soak` runs three times as often: they failed by chance once, or their waits were changed. */
export const thirtyTimes: readonly string[] = []
