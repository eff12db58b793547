/** The messages of 2.1.330 and 2.1.197; only the newer one may name the background session. */
const inBackground =
  /That session is running in the background(?: \((\w+)\))?\.|Session \S+ is currently running as a background agent/

/**
 * Why the session made the CLI exit at its start; undefined if the session was not the reason.
 *
 * `lost`: the transcript is empty, torn or of another project, so the session can neither be resumed nor created again
 * under its id. `background`: the session is not lost; a background session of Claude Code (`claude --bg`) has it open.
 * `job`: the id for `claude stop`, if the CLI named it.
 */
export function sessionRefusal(
  stderr: string,
): { readonly kind: 'lost' } | { readonly kind: 'background'; readonly job: string | undefined } | undefined {
  if (/No conversation found with session ID|Session ID \S+ is already in use/.test(stderr)) return { kind: 'lost' }
  const found = inBackground.exec(stderr)
  return found === null ? undefined : { kind: 'background', job: found[1] }
}
