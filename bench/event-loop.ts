/** The longest time the event loop gave to one piece of work, milliseconds: by the clock, and of this thread's own. */
export interface Stall {
  readonly wall: number
  readonly cpu: number
}

/** Watches the loop while something goes on. On a busy machine the clock also counts who else was given the processor. */
export async function longestStall(work: () => Promise<unknown>): Promise<Stall> {
  let [wall, cpu] = [0, 0]
  let [lastWall, lastCpu] = [performance.now(), threadCpu()]
  let watching = true
  const look = (): void => {
    const [nowWall, nowCpu] = [performance.now(), threadCpu()]
    wall = Math.max(wall, nowWall - lastWall)
    cpu = Math.max(cpu, nowCpu - lastCpu)
    ;[lastWall, lastCpu] = [nowWall, nowCpu]
    if (watching) setImmediate(look)
  }
  setImmediate(look)
  await work()
  watching = false
  return { wall, cpu }
}

function threadCpu(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
