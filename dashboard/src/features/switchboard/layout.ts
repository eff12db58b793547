/** The place of a team on the map, in pixels from its upper left corner. */
export interface Place {
  readonly name: string
  readonly x: number
  readonly y: number
  /** The side of its label. */
  readonly side: 'left' | 'right'
}

export interface MapLayout {
  readonly width: number
  readonly height: number
  readonly places: readonly Place[]
}

/** A line of text with room above and below. */
const rowHeight = 19
const smallestHeight = 260
/** Labels are cut so that half the width stays for the edges. */
const labelShare = 0.24

/**
 * Places teams on the two sides of an ellipse, in the given order: down the left side, then up the right side. However
 * many teams there are, their labels are horizontal and never touch.
 */
export function layoutOf(names: readonly string[], width: number, highest = Number.POSITIVE_INFINITY): MapLayout {
  const rows = Math.max(1, Math.ceil(names.length / 2))
  const height = Math.max(Math.min(smallestHeight, highest), (rows + 1) * rowHeight)
  const [middle, radius] = [width / 2, width * (0.5 - labelShare)]
  const places = names.map((name, index): Place => {
    const side = index < rows ? 'left' : 'right'
    const count = side === 'left' ? rows : names.length - rows
    const row = side === 'left' ? index : count - 1 - (index - rows)
    const y = (height * (row + 0.5)) / count
    // The ellipse extends somewhat beyond the teams; otherwise the teams at its ends would meet in the middle.
    const share = (y - height / 2) / (height * 0.56)
    const reach = radius * Math.sqrt(1 - share * share)
    return { name, side, y, x: middle + (side === 'left' ? -reach : reach) }
  })
  return { width, height, places }
}

/** The part of a name that fits beside its team. */
export function labelOf(name: string, width: number): string {
  const room = Math.max(8, Math.floor((width * labelShare) / 7.5))
  return name.length <= room ? name : `${name.slice(0, room - 1)}…`
}

interface Point {
  readonly x: number
  readonly y: number
}

/** The path from team to team, bent towards the middle. The paths of the two directions run beside each other. */
export function curveOf(from: Point, to: Point, { width, height }: Pick<MapLayout, 'width' | 'height'>) {
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  const length = Math.hypot(dx, dy) || 1
  const aside = Math.min(18, length / 6)
  const bent = {
    x: (from.x + to.x) / 4 + width / 4 - (dy / length) * aside,
    y: (from.y + to.y) / 4 + height / 4 + (dx / length) * aside,
  }
  const [start, end] = [towards(from, bent, 8), towards(to, bent, 12)]
  const middle = { x: start.x / 4 + bent.x / 2 + end.x / 4, y: start.y / 4 + bent.y / 2 + end.y / 4 }
  return { path: `M${at(start)} Q${at(bent)} ${at(end)}`, head: headOf(bent, end), middle }
}

/** A triangle whose tip is at the end. */
function headOf(from: Point, end: Point): string {
  const length = Math.hypot(end.x - from.x, end.y - from.y) || 1
  const [x, y] = [(end.x - from.x) / length, (end.y - from.y) / length]
  const corner = (side: 1 | -1): Point => ({ x: end.x - 8 * x - side * 3.5 * y, y: end.y - 8 * y + side * 3.5 * x })
  return `M${at({ x: end.x + 2 * x, y: end.y + 2 * y })} L${at(corner(1))} L${at(corner(-1))} Z`
}

function towards(from: Point, to: Point, distance: number): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1
  return {
    x: from.x + ((to.x - from.x) / length) * distance,
    y: from.y + ((to.y - from.y) / length) * distance,
  }
}

function at({ x, y }: Point): string {
  return `${x.toFixed(1)} ${y.toFixed(1)}`
}
