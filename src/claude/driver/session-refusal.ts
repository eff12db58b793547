/**
 * Whether the CLI exited at its start because of the session. A session whose transcript is empty, torn or of another
 * project can neither be resumed nor created again under its id.
 */
export function refusesSession(stderr: string): boolean {
  return /No conversation found with session ID|Session ID \S+ is already in use/.test(stderr)
}
