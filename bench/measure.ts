/** Milliseconds, sorted. */
export interface Sample {
  readonly n: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly min: number
}

export function summarize(times: readonly number[]): Sample {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { n: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), min: at(0) }
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/**
 * Two sides in turn, A B B A …, so that a machine that drifts drifts for both. `warmUp`: rounds before, which do not count.
 */
export async function alternate(
  rounds: number,
  a: () => Promise<unknown>,
  b: () => Promise<unknown>,
  warmUp = 0,
): Promise<{ a: Sample; b: Sample }> {
  if (warmUp > 0) await alternate(warmUp, a, b)
  const times = { a: [] as number[], b: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? (['a', 'b'] as const) : (['b', 'a'] as const)
    for (const side of order) times[side].push(await timed(side === 'a' ? a : b))
  }
  return { a: summarize(times.a), b: summarize(times.b) }
}

export const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`
export const ratio = (value: number): string => `${value.toFixed(value < 10 ? 3 : 1)}×`
