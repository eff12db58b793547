/** The oldest and the newest version of Claude Code that Iris is tested with. */
export const oldestTested = '2.1.197'
export const newestTested = '2.1.330'

export function isOlder(version: string, than: string): boolean {
  const [parts, others] = [version, than].map((text) => text.split('.').map(Number)) as [number[], number[]]
  const at = parts.findIndex((part, index) => part !== others[index])
  return at >= 0 && parts[at]! < (others[at] ?? 0)
}
