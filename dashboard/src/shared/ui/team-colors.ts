interface ColoredTeam {
  readonly name: string
  /** From config.yaml. */
  readonly color?: string | undefined
}

/** Relative luminances, tried in this order. Each has a contrast of at least 3 to the light panel and to the dark one. */
const luminances = [0.2, 0.27, 0.14]
const saturation = 0.6

/**
 * A colour for each team, no two alike: configured colours stay as they are; the others are made from the team's name,
 * and shifted if another team has that colour.
 */
export function teamColors(teams: readonly ColoredTeam[]): ReadonlyMap<string, string> {
  const colors = new Map<string, string>()
  const taken = new Set<string>()
  for (const { name, color } of teams) {
    if (color === undefined) continue
    colors.set(name, color)
    taken.add(slotOf(hueOf(color), teams.length))
  }
  const others = teams.filter(({ color }) => color === undefined).map(({ name }) => name)
  for (const name of others.toSorted()) {
    const { slot, color } = freeSlot(hashOf(name), teams.length, taken)
    taken.add(slot)
    colors.set(name, color)
  }
  return colors
}

/** The colour of a participant that is no team. */
export function colorOfOther(name: string): string {
  return name === 'external' ? 'var(--muted)' : `hsl(${hashOf(name) % 360} 20% 50%)`
}

/** Enough hues for each team to find its own, in as many steps of lightness as that needs. */
function huesFor(count: number): number {
  return Math.max(12, Math.ceil((count * 1.5) / luminances.length))
}

/**
 * The first free colour, beginning at the wanted hue: one with free hues beside it if there is one, or else one in any
 * lightness.
 */
function freeSlot(wanted: number, count: number, taken: ReadonlySet<string>) {
  const hues = huesFor(count)
  const isApart = (hue: number): boolean =>
    [hue - 1, hue, hue + 1].every((near) => !taken.has(String((near + hues) % hues)))
  for (let step = 0; step < hues; step += 1) {
    const hue = (wanted + step) % hues
    if (isApart(hue)) return slotAt(hue, 0, hues)
  }
  for (let step = 0; ; step += 1) {
    const [hue, level] = [(wanted + step) % hues, Math.floor(step / hues) % luminances.length]
    const found = slotAt(hue, level, hues)
    if (!taken.has(found.slot) || step >= hues * luminances.length) return found
  }
}

function slotAt(hue: number, level: number, hues: number) {
  const slot = `${hue}${level === 0 ? '' : ` ${level}`}`
  const degrees = Math.round((hue * 360) / hues)
  return { slot, color: `hsl(${degrees} ${saturation * 100}% ${lightnessOf(degrees, luminances[level]!)}%)` }
}

/** The least lightness, in percent, at which the hue has this luminance: blue needs far more than yellow. */
function lightnessOf(hue: number, luminance: number): number {
  let percent = 1
  while (percent < 99 && luminanceOf(hue, percent / 100) < luminance) percent += 1
  return percent
}

function luminanceOf(hue: number, lightness: number): number {
  const linear = (shift: number): number => {
    const place = (shift + hue / 30) % 12
    const range = saturation * Math.min(lightness, 1 - lightness)
    const value = lightness - range * Math.max(-1, Math.min(place - 3, 9 - place, 1))
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * linear(0) + 0.7152 * linear(8) + 0.0722 * linear(4)
}

function slotOf(hue: number | undefined, count: number): string {
  const hues = huesFor(count)
  return hue === undefined ? 'no hue' : String(Math.round((hue * hues) / 360) % hues)
}

function hashOf(name: string): number {
  let sum = 0
  for (const char of name) sum = (sum * 31 + char.charCodeAt(0)) >>> 0
  return sum
}

/** The hue of `#rrggbb` and `#rgb`; undefined for grey and for other notations. */
function hueOf(color: string): number | undefined {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(color)
  const [, ...parts] = short ?? /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color) ?? []
  if (parts.length === 0) return undefined
  const [red, green, blue] = parts.map((part) => Number.parseInt(short ? part + part : part, 16)) as [
    number,
    number,
    number,
  ]
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)]
  const range = most - least
  if (range === 0) return undefined
  const sixth =
    most === red ? (green - blue) / range : most === green ? 2 + (blue - red) / range : 4 + (red - green) / range
  return (sixth * 60 + 360) % 360
}
