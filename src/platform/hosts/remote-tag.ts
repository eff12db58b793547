/**
 * The tag of a process on another machine. It differs from the tags on this machine, because the other machine may be
 * this one: local sweeps, which end the processes of a dead daemon, must not find programs that are meant to outlive
 * that daemon.
 */
export function remoteTag(tag: string): string {
  const [irisTag, startId] = tag.split('.', 2)
  return startId === undefined ? `far-${irisTag}` : `far-${irisTag}.${startId}`
}
