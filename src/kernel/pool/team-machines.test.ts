import { expect, test } from 'vitest'
import { projectTree } from '../../../test/support/project-tree.ts'
import { systemClock } from '../../base/lib/clock.ts'
import { LocalSystem } from '../../platform/machine/local-system.ts'
import { taggedProcesses } from '../../platform/machine/process-tag.ts'
import { TeamMachines, type TeamMachinesParts } from './team-machines.ts'
import type { TeamPrograms } from './team-programs.ts'

test('a team that is first asked about after the end gets no helper', async () => {
  using tree = projectTree({ 'a.txt': 'one' })
  const irisTag = `machines-test-${crypto.randomUUID()}`
  const team = { name: 'backend', realPath: tree.path }
  const programs = {
    team: () => team,
    remoteOf: () => undefined,
    isolated: async () => undefined,
    configDirectoryOf: () => tree.path,
  } as unknown as TeamPrograms
  const parts = {
    config: () => ({ home: tree.path }),
    clock: systemClock,
    system: new LocalSystem(systemClock),
    irisTag,
    isolations: { for: async () => undefined },
    environment: process.env,
    newId: () => crypto.randomUUID(),
  } as unknown as TeamMachinesParts
  const machines = new TeamMachines(parts, programs)
  await machines.end()
  await expect(machines.of('backend').project.readText('a.txt', { mostBytes: 10 })).rejects.toThrow('Iris is stopping')
  expect(await taggedProcesses(irisTag)).toEqual([])
})
