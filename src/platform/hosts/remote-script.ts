import { shellQuoted } from './shell-words.ts'

/** How a script for a file ends when it is no success. */
export const scriptEnds = { absent: 44, notPlain: 45, exists: 46, outside: 47, failed: 48 } as const

/** A path of another machine as its shell reads it: `~/` is the home there. */
export function remotePath(path: string): string {
  if (path === '~') return '"$HOME"'
  return path.startsWith('~/') ? `"$HOME"/${shellQuoted(path.slice(2))}` : shellQuoted(path)
}

/** Below the working directory; never to be taken for an option. */
export function innerPath(names: readonly string[]): string {
  return shellQuoted(['.', ...names].join('/'))
}

/** Prints owner, links, identity, size, and the times of the last change and of the making, of GNU, busybox or BSD. */
export const factsFunction = `facts() { stat -c '%u %h %d:%i %s %Y %W' -- "$1" 2>/dev/null || stat -f '%u %l %d:%i %z %m %B' -- "$1"; }`

/** Octal for a shell's own printf, which every POSIX shell has; what is plain stays. */
export function printfText(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) {
    const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
    text += isPlain ? String.fromCharCode(byte) : `\\0${byte.toString(8).padStart(3, '0')}`
  }
  return `'${text}'`
}
