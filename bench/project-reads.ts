import { readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../src/base/lib/sha256.ts'
import { residentBytes } from '../src/platform/machine/local-processes.ts'
import { taggedProcesses } from '../src/platform/machine/process-tag.ts'
import { eventually } from '../test/support/eventually.ts'
import { makeRepository } from '../test/support/git.ts'
import { ms, summarize, timed } from './measure.ts'
import type { Row } from './row.ts'
import { setting } from './setting.ts'

const rounds = 20

/** M: what it costs that a project is read by a helper with its agents' rights, and that no link is followed to a transcript. */
export async function projectReads(): Promise<readonly Row[]> {
  await using iris = await setting()
  const { world, caller } = iris
  const irisTag = sha256(realpathSync(world.home)).slice(0, 16)
  const directory = world.directory('backend')
  for (const [name, text] of [
    ['package.json', '{"name":"shop","dependencies":{"express":"5"}}'],
    ['CLAUDE.md', 'The API of the shop.\n'.repeat(200)],
  ] as const) {
    writeFileSync(join(directory, name), text)
  }
  makeRepository(directory)
  writeFileSync(join(directory, 'CLAUDE.md'), 'Another.\n')
  const prompt = (includeGitDiff: boolean) => () =>
    caller.call('get_agent', { agentType: 'debugger', team: 'backend', includeGitDiff })
  const helper = async (): Promise<number | undefined> => (await taggedProcesses(irisTag)).find(isHelper)
  const ended = async (): Promise<void> => {
    const pid = await helper()
    if (pid === undefined) return
    process.kill(pid, 'SIGKILL')
    await eventually(async () => (await helper()) === undefined, 'the helper has ended')
  }
  const [started, warm, diff, resumed]: number[][] = [[], [], [], []]
  await caller.send('frontend', 'hello')
  for (let round = 0; round < rounds; round++) {
    await ended()
    started!.push(await timed(prompt(false)))
    warm!.push(await timed(prompt(false)))
    diff!.push(await timed(prompt(true)))
    await caller.call('team_sleep', { team: 'frontend' })
    resumed!.push(await timed(() => caller.send('frontend', 'hello')))
  }
  await prompt(true)()
  const pid = await helper()
  const bytes = pid === undefined ? undefined : await residentBytes(pid)
  const row = (what: string, times: number[]): Row => {
    const sample = summarize(times)
    return {
      id: 'M',
      what,
      measured: `${ms(sample.p50)}  (p95 ${ms(sample.p95)}, n=${sample.n})`,
      aim: '—',
      data: sample,
    }
  }
  return [
    row('get_agent, its helper started by it', started!),
    row('get_agent, its helper there', warm!),
    row('get_agent with git diff, its helper there', diff!),
    row('cold first answer of a conversation that is resumed', resumed!),
    {
      id: 'M',
      what: 'resident memory of a helper',
      aim: '—',
      data: { bytes },
      measured: bytes === undefined ? 'there is none' : `${(bytes / 2 ** 20).toFixed(0)} MiB`,
    },
  ]
}

function isHelper(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').includes('--eval')
  } catch {
    return false
  }
}
