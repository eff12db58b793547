/**
 * The tag of a process on another machine. It is none of this machine's: should that machine be this one after all, the sweeps
 * here, which end what a dead daemon has left, do not find what is to outlive the daemon.
 */
export function remoteTag(tag: string): string {
  const [irisTag, startId] = tag.split('.', 2)
  return startId === undefined ? `far-${irisTag}` : `far-${irisTag}.${startId}`
}
