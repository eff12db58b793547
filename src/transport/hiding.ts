import type { Isolation } from './transport.ts'

export interface HidingTools {
  readonly unshare: string
  readonly mount: string
  readonly sh: string
}

/**
 * Between two user namespaces something has to mount, and no program of the system does that and then starts another: so
 * there is a shell. Its text is constant; places and command line are arguments, never part of it.
 */
const mountAndGoOn = `
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then "$0" -t tmpfs -o ro,size=4k,mode=0500 iris "$1"; else "$0" --bind /dev/null "$1"; fi || exit
  shift
done
shift
exec "$@"`

/**
 * Makes directories empty, and files too, for a program and all it starts. In a first user namespace it is root, so that it
 * may mount; in a second one it is the user again, and without any right over the first: what was mounted stays, and what
 * does not live in there, the daemon above all, can be neither traced nor entered through /proc.
 */
export function hiding({ unshare, mount, sh }: HidingTools): (places: readonly string[]) => Isolation {
  const [uid, gid] = [process.geteuid!(), process.getegid!()]
  return (places) => ({
    by: [
      // Disks that are plugged in later are seen inside too.
      ...[unshare, '--user', '--map-root-user', '--mount', '--propagation', 'slave', '--'],
      ...[sh, '-c', mountAndGoOn, mount, ...places, '--'],
      ...[unshare, '--user', `--map-user=${uid}`, `--map-group=${gid}`, '--'],
    ],
    ownProcesses: false,
  })
}
