import { existsSync, readFileSync } from 'node:fs'

/**
 * Files that root may write without any capability. Some name a program that the kernel starts outside all namespaces.
 */
const places = ['/proc/sys', '/proc/sysrq-trigger', '/sys']
/** If the mount has any of these options, a remount must keep them. */
const kept = /^(nosuid|nodev|noexec|noatime|nodiratime|relatime)$/

/**
 * Rows of a mount table that make the kernel's settings read-only. A process with locked mounts below /proc cannot
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
