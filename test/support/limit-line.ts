/** A step of the fake Claude Code: what the real one prints of the account's five hours. `resetsAt`: in seconds. */
export function limitLine(status: 'rejected' | 'allowed', resetsAt: number): { rawStdout: string } {
  const line = { type: 'rate_limit_event', rate_limit_info: { status, resetsAt, rateLimitType: 'five_hour' } }
  return { rawStdout: `${JSON.stringify(line)}\n` }
}
