import { visible } from '../../../base/lib/visible.ts'

/**
 * The first browser in this list that the header names is taken, because most browsers also name those with which they
 * are compatible.
 */
const browsers = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['SamsungBrowser', 'Samsung Internet'],
  ['Firefox', 'Firefox'],
  ['FxiOS', 'Firefox'],
  ['CriOS', 'Chrome'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const
const systems = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const

const longest = 40

/** A readable name, such as `Chrome on Android`. An unknown browser's text is shown unchanged, but cut. */
export function browserName(userAgent = ''): string {
  const named = (list: readonly (readonly [string, string])[]): string | undefined =>
    list.find(([word]) => userAgent.includes(word))?.[1]
  const [browser, system] = [named(browsers), named(systems)]
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`
  return visible(userAgent.slice(0, longest)) || 'A browser'
}
