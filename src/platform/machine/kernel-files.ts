import { existsSync, readFileSync } from 'node:fs'

/** Root may write to them without any capability: some of them name a program that the kernel starts outside of every namespace. */
const places = ['/proc/sys', '/proc/sysrq-trigger', '/sys']
/** A mount that is made anew has to keep those that it has. */
const kept = /^(nosuid|nodev|noexec|noatime|nodiratime|relatime)$/

/**
 * The rows of a mount table after which the kernel's settings can only be read. Whoever has locked mounts below /proc cannot
 * mount another /proc either.
 */
export function kernelFilesReadOnly(): string[][] {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .map(([, , , , point = '', options = '']) => ({ point, options }))
  return places.filter(existsSync).flatMap((place) => {
    const below = mounts.filter(({ point }) => point.startsWith(`${place}/`)).map(({ point }) => point)
    const isOver = (point: string): boolean => place === point || place.startsWith(point === '/' ? point : `${point}/`)
    const around = mounts.filter(({ point }) => isOver(point)).toSorted((a, b) => a.point.length - b.point.length)
    const optionsOf = (point: string): string => mounts.findLast((mount) => mount.point === point)!.options
    const all = [[place, around.at(-1)!.options], ...below.map((point) => [point, optionsOf(point)])]
    return [
      [place, place, 'none', 'rbind'],
      ...all.map(([point, options]) => {
        const flags = options!.split(',').filter((option) => kept.test(option))
        return ['none', point!, 'none', ['remount', 'bind', 'ro', ...flags].join()]
      }),
    ]
  })
}
