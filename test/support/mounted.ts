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

/**
 * Its modes are these (`chmod -R`), for a program without the right to ignore modes, which root has. An ordinary user
 * meets the same.
 */
export function withModes(directory: string, modes: string): readonly string[] {
  const copy = 'aside=$(mktemp -d); cp -a "$0/." "$aside"; mount -t tmpfs -o mode=0700 iris "$0"'
  const made = inOwnMounts(`${copy}; cp -a "$aside/." "$0"; rm -rf "$aside"; chmod -R ${modes} "$0"`, directory)
  return [...made, 'setpriv', '--bounding-set=-all', '--inh-caps=-all', '--']
}

/** Its files are the managed settings of Claude Code on this machine. What is written there later counts too. */
export function managed(directory: string): readonly string[] {
  const emptied = 'mount --rbind /etc /mnt; mount -t tmpfs -o mode=0755 iris /etc'
  const filled = 'for each in /mnt/*; do ln -s "$each" /etc/; done; rm -f /etc/claude-code; mkdir /etc/claude-code'
  return inOwnMounts(`${emptied}; ${filled}; mount --bind "$0" /etc/claude-code`, directory)
}

/** It is on its own disk that has no room for another byte. */
export function full(directory: string): readonly string[] {
  const copy = 'aside=$(mktemp -d); cp -a "$0/." "$aside"; mount -t tmpfs -o size=8m,mode=0700 iris "$0"'
  return inOwnMounts(
    `${copy}; cp -a "$aside/." "$0"; rm -rf "$aside"; cat /dev/zero 2>/dev/null >"$0/filler" || true`,
    directory,
  )
}
