import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Script } from '../../src/app/demo/script.ts'
import { initialize, pipeHost } from '../../src/app/probe/pipe-host.ts'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { answerPermission } from '../support/owner.ts'
import { pinWorld } from '../support/pin-world.ts'
import { type ClaudeVersion, claudeBinary } from '../support/real-claude.ts'
import { spoken } from '../support/world.ts'
import { comparedRules, outsideName } from './generated-commands.ts'

/** A command ran, or it stopped: someone was asked, or it was refused. */
type Fate = 'runs' | 'stops'

export interface Compared {
  readonly command: string
  /** Claude Code alone, with the rules in a person's settings. */
  readonly plain: Fate
  /** A team of Iris with these rules, which asks a person. */
  readonly ask: Fate
  /** The same with `grantPermission: no`. */
  readonly no: Fate
}

/** Where a side runs its commands. */
interface Place {
  readonly project: string
  readonly outside: string
}

const permissions = { allow: comparedRules }
const denial = 'compared with another side'
const stopped = /compared with another side|grantPermission: no/
/** So many commands a turn: each of them sends the conversation whole. */
const chunkSize = 25

/** Tries each command on three sides, each in one process. What is asked is denied. */
export async function compareRules(version: ClaudeVersion, commands: readonly string[]): Promise<readonly Compared[]> {
  const [plain, [asked, no]] = await Promise.all([plainFates(version, commands), irisFates(version, commands)])
  return commands.map((command, index) => ({ command, plain: plain[index]!, ask: asked![index]!, no: no![index]! }))
}

async function plainFates(version: ClaudeVersion, commands: readonly string[]): Promise<readonly Fate[]> {
  const side = new Side()
  await using world = await pinWorld(version, side.script)
  side.place = { project: world.project, outside: join(world.home, 'outside') }
  mkdirSync(join(world.home, '.claude'))
  writeFileSync(join(world.home, '.claude/settings.json'), JSON.stringify({ permissions }))
  const host = pipeHost()
  host.permission = () => ({ behavior: 'deny', message: denial })
  const cli = world.start({ answer: host.answer })
  await cli.request(initialize)
  return await side.fates(commands, (text) => cli.turn(text))
}

async function irisFates(version: ClaudeVersion, commands: readonly string[]): Promise<readonly (readonly Fate[])[]> {
  const sides = { asking: new Side(), closed: new Side() }
  const script: Script = (request) => {
    const isClosed = request.conversation.userTexts.some((text) => text.includes('to="closed"'))
    return sides[isClosed ? 'closed' : 'asking'].script(request)
  }
  const teams = { frontend: {}, asking: { permissions }, closed: { grantPermission: 'no', permissions } }
  await using iris = await TestIris.start({ script, teams, settings: { claudePath: claudeBinary(version) } })
  iris.daemon.events$.subscribe((event) => {
    if (event.type === 'permission:request') void answerPermission(iris, event.permission, 'deny', { message: denial })
  })
  return await Promise.all(
    Object.entries(sides).map(([team, side]) => {
      side.place = { project: iris.world.directory(team), outside: join(iris.world.root, 'outside', team) }
      return side.fates(commands, (text) => ask(iris, team, text, { fromTeam: 'frontend' }))
    }),
  )
}

/** One process that learns commands, and what became of them. */
class Side {
  place: Place = { project: '', outside: '' }
  #fates: Fate[] = []

  /** Runs the commands of the message, each in directories as they were at first. */
  readonly script: Script = ({ conversation: { lastUserText, toolResults } }) => {
    const commands = JSON.parse(spoken(lastUserText)) as string[]
    this.#fates = toolResults.map(({ isError, text }) => (isError && stopped.test(text) ? 'stops' : 'runs'))
    const command = commands[toolResults.length]
    if (command === undefined) return { text: 'done' }
    layOut(this.place)
    return { toolUses: [{ name: 'Bash', input: { command, description: 'compared' } }] }
  }

  async fates(commands: readonly string[], say: (text: string) => Promise<unknown>): Promise<readonly Fate[]> {
    const fates: Fate[] = []
    for (let at = 0; at < commands.length; at += chunkSize) {
      // Its shell stays where a command led it.
      const chunk = commands
        .slice(at, at + chunkSize)
        .flatMap((command) => [
          { command: command.replaceAll(outsideName, this.place.outside), isCompared: true },
          ...(command.includes('cd') ? [{ command: `cd ${this.place.project}`, isCompared: false }] : []),
        ])
      await say(JSON.stringify(chunk.map(({ command }) => command)))
      const all = this.#fates
      if (all.length !== chunk.length) throw new Error(`of ${chunk.length} commands ${all.length} were tried`)
      fates.push(...all.filter((_, index) => chunk[index]!.isCompared))
    }
    return fates
  }
}

function layOut({ project, outside }: Place): void {
  for (const directory of [project, outside]) {
    mkdirSync(directory, { recursive: true })
    for (const name of readdirSync(directory)) {
      if (name !== '.claude') rmSync(join(directory, name), { recursive: true, force: true })
    }
  }
  for (const name of ['src', 'build']) mkdirSync(join(project, name))
  for (const name of ['a', 'b', 'src/a', 'src/b c', 'build/x', '-exec']) writeFileSync(join(project, name), 'x\n')
  writeFileSync(join(outside, 'file'), 'x\n')
  symlinkSync(outside, join(project, 'src/link'))
  symlinkSync(join(outside, 'file'), join(project, 'src/link-to-file'))
}
