import { type IsolationMeans, isolationMeans } from '../../src/platform/machine/isolation-means.ts'

let tried: Promise<IsolationMeans> | undefined

/**
 * What isolates programs on this machine, for daemons in the test's own process. Each would try it in two processes of its own, with
 * the same result for the same PATH.
 */
export async function triedMeans(env: Readonly<Record<string, string>>): Promise<{ isolation?: IsolationMeans }> {
  const path = process.env['PATH'] ?? ''
  return env['PATH'] === path ? { isolation: await (tried ??= isolationMeans(path)) } : {}
}
