/**
 * Whether the CLI ended at its start because of the session: a transcript that is empty, torn or of another project can
 * neither be resumed nor created anew under its id.
 */
export function refusesSession(stderr: string): boolean {
  return /No conversation found with session ID|Session ID \S+ is already in use/.test(stderr)
}
