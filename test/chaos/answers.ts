import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import type { Script } from '../../src/app/demo/script.ts'
import { ask } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { killClaude } from '../support/kill-claude.ts'
import { claudeBinary } from '../support/real-claude.ts'
import { createWorld } from '../support/world.ts'
import { Play, plan, type Team } from './answer-play.ts'
import type { Chaos } from './chaos.ts'

const turnsARound = 10

const round = fc.array(plan, { minLength: turnsARound, maxLength: turnsARound })

/** Scripted replies in random order to the real Claude Code, which is killed now and then, and so is the daemon. */
export async function answers(): Promise<Chaos> {
  let play: Play | undefined
  let daemonDies: Promise<void> | undefined
  const script: Script = async ({ body, conversation }) => {
    const current = play
    if (current === undefined) return { text: 'nobody asked' }
    const continues = conversation.lastUserText.includes('<iris-continuation>')
    const isPaused = conversation.lastUserText.includes('the API paused your last reply')
    if (continues && !isPaused && !began.has(current)) {
      began.add(current)
      current.beginsAgain()
    }
    const victim = current.victim()
    if (victim === 'claude' && mayDie(deaths[current.team])) {
      current.wasKilled = victim
      current.beginsAgain()
      killClaude(world.root, world.directory(current.team))
      return { stall: 'silent' }
    }
    if (victim === 'daemon') {
      current.wasKilled = victim
      await killDaemon()
    }
    return current.reply(body.stream === true)
  }
  const began = new WeakSet<Play>()
  const deaths: Record<Team, number[]> = { backend: [], backendOlder: [] }
  const open = { grantPermission: 'yes', dangerous: true }
  const teams = { frontend: {}, backend: open, backendOlder: { ...open, claudePath: claudeBinary('2.1.197') } }
  const world = await createWorld({ script, teams })
  for (const team of ['backend', 'backendOlder']) {
    mkdirSync(join(world.directory(team), '.claude'))
    writeFileSync(join(world.directory(team), '.claude/settings.json'), JSON.stringify({ hooks: { Stop: [lintOnce] } }))
  }
  let daemon = await DaemonProcess.start(world)
  async function killDaemon(): Promise<void> {
    daemonDies = (async () => {
      await daemon.kill()
      daemon = await DaemonProcess.start(world)
    })()
    await daemonDies
  }

  async function asked(team: Team, name: string): ReturnType<typeof ask> {
    for (;;) {
      try {
        return await ask(daemon, team, name, { fromTeam: 'frontend', idempotencyKey: name, timeout: 0 })
      } catch (error) {
        if (daemonDies === undefined) throw error
        await daemonDies
      }
    }
  }

  return {
    async round(seed) {
      const counts: Record<string, number> = {}
      const count = (what: string): void => {
        counts[what] = (counts[what] ?? 0) + 1
      }
      for (const [index, each] of fc.sample(round, { seed, numRuns: 1 })[0]!.entries()) {
        const team: Team = index % 2 === 0 ? 'backend' : 'backendOlder'
        const name = `T${seed}-${index}`
        play = new Play(each, name, team)
        const once = join(world.directory(team), 'once')
        if (each.end.startsWith('a hook')) writeFileSync(once, '')
        else rmSync(once, { force: true })
        daemonDies = undefined
        const answer = await asked(team, name)
        count('turns')
        count(answer.status)
        if (play.wasKilled !== 'nobody') count(`kills of the ${play.wasKilled}`)
        const { status, texts } = play.expected
        const got = answer.response ?? answer.partialResponse ?? ''
        if (answer.status !== status || !texts.includes(got))
          throw new Error(JSON.stringify({ plan: each, team, expected: { status, texts }, answer }, undefined, 1))
        play = undefined
      }
      return counts
    },
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

/** Blocks the end of a turn where the file is, once. */
const lintOnce = {
  hooks: [{ type: 'command', command: 'if [ -e once ]; then rm once; echo "run the linter" >&2; exit 2; fi' }],
}

/** Five deaths in a minute open the breaker of a team. */
function mayDie(deaths: number[]): boolean {
  const now = performance.now()
  if (deaths.filter((at) => now - at < 60_000).length >= 3) return false
  deaths.push(now)
  return true
}
