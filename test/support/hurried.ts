import type { Stage } from './stage.ts'

/** Time runs faster until it has settled: past the pauses between starts. What starts meanwhile is waited for. */
export async function hurried<T>({ clock }: Stage, awaited: Promise<T>): Promise<T> {
  let over = false
  const end = (): void => {
    over = true
  }
  awaited.then(end, end)
  while (!over) await clock.jump(50)
  return awaited
}
