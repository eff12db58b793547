/**
 * The tag of a process on another machine. It differs from the tags of this machine, because that machine may be this
 * one: sweeps here, which end what a dead daemon has left, must not find programs that outlive the daemon.
 */
export function remoteTag(tag: string): string {
  const [irisTag, startId] = tag.split('.', 2)
  return startId === undefined ? `far-${irisTag}` : `far-${irisTag}.${startId}`
}
