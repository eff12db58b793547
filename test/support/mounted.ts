/** Command lines that give whatever follows them another view of a directory, which nobody else sees. */
function inOwnMounts(script: string, directory: string): readonly string[] {
  const user = process.geteuid!() === 0 ? [] : ['--user', '--map-root-user']
  return ['unshare', ...user, '--mount', 'sh', '-ec', `${script}\nexec "$@"`, directory]
}

/** It can only be read. */
export function readOnly(directory: string): readonly string[] {
  return inOwnMounts('mount --bind "$0" "$0"; mount -o remount,bind,ro "$0"', directory)
}

/** It is empty, as isolation hides it. */
export function hidden(directory: string): readonly string[] {
  return inOwnMounts('mount -t tmpfs iris "$0"', directory)
}
