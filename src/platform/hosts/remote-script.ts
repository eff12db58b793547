import { shellQuoted } from './shell-words.ts'

/** Exit codes with which a script reports why it failed on a file. */
export const scriptEnds = { absent: 44, notPlain: 45, exists: 46, outside: 47, failed: 48 } as const

/** A path on another machine, quoted for its shell; `~/` is the home directory there. */
export function remotePath(path: string): string {
  if (path === '~') return '"$HOME"'
  return path.startsWith('~/') ? `"$HOME"/${shellQuoted(path.slice(2))}` : shellQuoted(path)
}

/**
 * If the file `f` is a link, sets `f` to the target of that link. Ends the script if the file is outside of the
 * project, unless it may be `anywhere`.
 */
export function followLink(anywhere = false): string {
  return `
    [ -L "$f" ] && { f=$(readlink -f "$f") || exit ${scriptEnds.outside}; }
    inner=$(cd "\${f%/*}" && pwd -P) || exit ${scriptEnds.outside}
    case "$inner/" in ${anywhere ? '*' : '"$(pwd -P)"/*'}) ;; *) exit ${scriptEnds.outside} ;; esac`
}

/** A path below the working directory, in a form that cannot be taken for an option. */
export function innerPath(names: readonly string[]): string {
  return shellQuoted(['.', ...names].join('/'))
}

/**
 * Prints the owner, number of links, identity, size, modification time and creation time, with the tools of GNU,
 * busybox or BSD.
 */
export const factsFunction = `facts() { stat -c '%u %h %d:%i %s %Y %W' -- "$1" 2>/dev/null || stat -f '%u %l %d:%i %z %m %B' -- "$1"; }`

/**
 * Bytes for `printf '%b'`, which every POSIX shell has: plain characters are kept, and all others become octal escapes.
 */
export function printfText(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) {
    const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
    text += isPlain ? String.fromCharCode(byte) : `\\0${byte.toString(8).padStart(3, '0')}`
  }
  return `'${text}'`
}
