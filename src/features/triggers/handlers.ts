import type { z } from 'zod'
import { IrisError } from '../../base/protocol/error.ts'
import { triggerAsker } from '../../base/protocol/trigger.ts'
import type { Config, TriggerConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/home.ts'
import type { listTriggers, testTrigger } from './contract.ts'
import { isWanted, messageFor, metadataFor, missingIn, threadFor } from './event-message.ts'
import { secretsIn } from './trigger-secrets.ts'
import type { Triggers } from './triggers.ts'

/** The dependencies of these operations. */
export interface TriggerViewParts {
  readonly config: () => Config
  readonly env: Environment
  readonly triggers: Pick<Triggers, 'countsOf' | 'problemOf'>
  /** A random word that encloses the event's values in the message. */
  readonly newWord: () => string
}

type Listed = z.output<typeof listTriggers.output>
type Tested = z.output<typeof testTrigger.output>

const noRequests: Listed['triggers'][number]['requests'] = {
  accepted: 0,
  repeated: 0,
  leftOut: 0,
  unusable: 0,
  refused: 0,
  busy: 0,
  tooLarge: 0,
  tooSlow: 0,
  crowded: 0,
}

export async function list(parts: TriggerViewParts): Promise<Listed> {
  const all = [...parts.config().triggers.values()]
  const views = all.map(async (trigger) => {
    const requests = Object.assign({}, noRequests, Object.fromEntries(parts.triggers.countsOf(trigger.name)))
    const lastProblem = parts.triggers.problemOf(trigger.name)
    return { ...(await factsOf(trigger, parts)), requests, ...(lastProblem && { lastProblem }) }
  })
  return { triggers: await Promise.all(views) }
}

/** test_trigger. Throws `not_found`. */
export async function test(
  { trigger: name, event }: z.output<typeof testTrigger.input>,
  parts: TriggerViewParts,
): Promise<Tested> {
  const trigger = parts.config().triggers.get(name)
  if (trigger === undefined) {
    const names = [...parts.config().triggers.keys()].join(', ') || 'none'
    throw new IrisError('not_found', `There is no trigger "${name}" in config.yaml.`, `There are: ${names}.`)
  }
  const facts = await factsOf(trigger, parts)
  if (!isWanted(trigger, event))
    return { ...facts, result: 'leftOut', why: 'the event does not have what "when" asks for' }
  const missing = missingIn(trigger, event)
  if (missing.length > 0) return { ...facts, result: 'unusable', why: `the event has nothing at ${missing.join(', ')}` }
  if (metadataFor(trigger, event) === undefined)
    return { ...facts, result: 'unusable', why: 'what the event has for metadata is more than 2 KiB' }
  const message = messageFor(trigger, event, parts.newWord())
  return { ...facts, result: 'message', thread: threadFor(trigger, event), message }
}

async function factsOf(trigger: TriggerConfig, { config, env }: TriggerViewParts) {
  const { name, scheme, team, role } = trigger
  const { home, settings } = config()
  const path = `/in/${name}`
  const { problems } = await secretsIn(trigger, home, env)
  const url = settings.publicUrl === undefined ? {} : { url: settings.publicUrl + path }
  return { trigger: name, scheme, team, role, path, ...url, asker: triggerAsker(name), problems }
}
