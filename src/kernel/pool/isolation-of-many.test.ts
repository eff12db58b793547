import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/temporary-home.ts'
import type { IsolationMeans } from '../../platform/machine/isolation-means.ts'
import { Isolations } from './isolation.ts'

const able: IsolationMeans = {
  hiding: { isolate: () => ({ by: [''], ownProcesses: false }) },
  sandbox: { isolate: () => ({ by: [''], ownProcesses: true }) },
}

test('the description of all teams reads what hides them once, not once for each team', async () => {
  await using disk = await temporaryHome()
  const reads = async (count: number): Promise<number> => {
    const names = Array.from({ length: count }, (_, index) => `team${index}`)
    const at = (name: string): string => join(disk.root, 'many', name)
    for (const name of names) mkdirSync(at(name), { recursive: true })
    const config = await disk.load(`teams:\n${names.map((name) => `  ${name}: {path: ${at(name)}}\n`).join('')}`)
    let read = 0
    const ownKeys = (target: Record<string, string>) => {
      read += 1
      return Reflect.ownKeys(target)
    }
    const environment = new Proxy<Record<string, string>>({ HOME: disk.root }, { ownKeys })
    const system = { isolationMeans: async () => able }
    const isolations = new Isolations({ config: () => config, system, environment })
    const process = { executable: '/bin/true', env: { HOME: disk.root } }
    for (const team of config.teams.values()) await isolations.of(team, process)
    return read
  }
  const few = await reads(4)
  expect(few).toBeGreaterThan(0)
  expect(await reads(40)).toBeLessThanOrEqual(10 * few)
})
