import { onTestFinished } from 'vitest'
import { systemClock } from '../../src/base/lib/clock.ts'
import type { Project } from '../../src/features/agents/project-reader.ts'
import type { Isolation } from '../../src/platform/machine/child.ts'
import { LocalMachine } from '../../src/platform/machine/local-machine.ts'
import { LocalSystem } from '../../src/platform/machine/local-system.ts'
import type { ProjectFiles, TeamIsolation } from '../../src/platform/machine/machine.ts'
import type { Files } from './project-tree.ts'

/** A project on this machine as a team has it; what reads it ends with the test. */
export function projectOf(directory: string, isolation?: Isolation, path = process.env['PATH'] ?? ''): Project {
  const machine = new LocalMachine({
    environment: {},
    system: new LocalSystem(systemClock),
    isolation: isolated(isolation),
    directory: () => directory,
    configuredPath: () => directory,
    clock: systemClock,
    place: async () => ({ directory, isolation }),
    tag: () => `test.${crypto.randomUUID()}`,
    path,
    claudeDirectory: () => directory,
    hidden: '/nowhere',
  })
  onTestFinished(() => machine.end())
  return { directory, files: machine.project }
}

/** A team whose programs are all isolated like this. */
export function isolated(isolation?: Isolation): TeamIsolation {
  return { of: async () => ({ level: 'none', holds: false, detail: '' }), for: async () => isolation }
}

/** A project that is nowhere, for what is made of its files and not how they are read. */
export function projectInMemory(files: Files, name = 'project'): Project {
  const readText: ProjectFiles['readText'] = async (path, { mostBytes, cut = false }) => {
    const content = files[path]
    if (content === undefined) return { kind: 'absent' }
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    const isCut = text.length > mostBytes
    if (isCut && !cut) return { kind: 'unusable', problem: `it is larger than ${mostBytes} bytes` }
    return { kind: 'text', text: text.slice(0, mostBytes), isCut }
  }
  const gitDiff: ProjectFiles['gitDiff'] = async () => ({ kind: 'none', problem: 'it is nowhere' })
  const fileStates: ProjectFiles['fileStates'] = async (names) => ({
    head: undefined,
    files: names.map(() => undefined),
  })
  const lastCommit: ProjectFiles['lastCommit'] = async () => undefined
  const readBytes: ProjectFiles['readBytes'] = async () => ({ kind: 'absent' })
  return {
    directory: `/${name}`,
    files: {
      exists: async () => false,
      identity: async () => undefined,
      realPath: async () => undefined,
      readText,
      readBytes,
      gitDiff,
      lastChange: async () => 0,
      fileStates,
      lastCommit,
      writeText: async () => ({ kind: 'unusable', problem: 'it is nowhere' }),
    },
  }
}
