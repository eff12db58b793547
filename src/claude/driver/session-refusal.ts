/** The messages of 2.1.330 and 2.1.197; only the newer one may name the background session. */
const inBackground =
  /That session is running in the background(?: \((\w+)\))?\.|Session \S+ is currently running as a background agent/

/**
 * Why the CLI exited at its start because of the session; undefined: that was not the reason.
 *
 * `lost`: a session whose transcript is empty, torn or of another project can neither be resumed nor created again under
 * its id. `background`: a background session of Claude Code (`claude --bg`) has it open, and it is not lost; `job`: with
 * which id `claude stop` ends that, if the CLI said it.
 */
export function sessionRefusal(
  stderr: string,
): { readonly kind: 'lost' } | { readonly kind: 'background'; readonly job: string | undefined } | undefined {
  if (/No conversation found with session ID|Session ID \S+ is already in use/.test(stderr)) return { kind: 'lost' }
  const found = inBackground.exec(stderr)
  return found === null ? undefined : { kind: 'background', job: found[1] }
}
