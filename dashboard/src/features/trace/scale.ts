const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const steps = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  day,
]

/** The marks of a time scale from 0 to `lengthMs`, in milliseconds: at most `most` besides the 0. */
export function marks(lengthMs: number, most: number): readonly number[] {
  const known = steps.find((each) => lengthMs / each <= most)
  const step = known ?? Math.ceil(lengthMs / most / day) * day
  return Array.from({ length: Math.floor(lengthMs / step) + 1 }, (_, index) => index * step)
}

/** A position on a scale, in CSS. */
export function placeOf(from: number, to: number, frame: { readonly from: number; readonly to: number }) {
  const length = Math.max(1, frame.to - frame.from)
  const share = (ms: number): string => `${Number(((ms / length) * 100).toFixed(4))}%`
  return { left: share(from - frame.from), width: share(Math.max(0, to - from)) }
}
