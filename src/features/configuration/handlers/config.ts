import type { z } from 'zod'
import type { Call, Domain } from '../../../kernel/call/call.ts'
import { actorOf } from '../../../kernel/call/principal.ts'
import { inForce, schemaOfConfig } from '../../../platform/config/described.ts'
import { placeholder } from '../../../platform/config/masked-text.ts'
import type { checkConfig, getConfig, saveConfig } from '../contract.ts'

type In<Operation extends { input: z.ZodType }> = z.output<Operation['input']>
type Out<Operation extends { output: z.ZodType }> = z.output<Operation['output']>

export async function get({
  config,
  configProblem,
  configEditor,
  needsRestart,
  clock,
}: Domain): Promise<Out<typeof getConfig>> {
  const problem = configProblem()
  return {
    ...(await configEditor.read()),
    placeholder,
    ...(problem !== undefined && { problem }),
    needsRestart: [...needsRestart()],
    schema: schemaOfConfig(),
    ...inForce(config()),
    timestamp: clock.now(),
  }
}

export async function check(
  { text }: In<typeof checkConfig>,
  { configEditor, clock }: Domain,
): Promise<Out<typeof checkConfig>> {
  const { problems, changes } = await configEditor.check(text)
  return { problems: [...problems], changes: [...changes], timestamp: clock.now() }
}

export async function save(
  { text, hash }: In<typeof saveConfig>,
  { auth }: Call,
  { configEditor, audit, clock }: Domain,
): Promise<Out<typeof saveConfig>> {
  const saved = await configEditor.save(text, hash)
  const keys = saved.changes.map(({ key }) => key)
  const [actor, detail] = [actorOf(auth.principal), { keys, hash: saved.hash }]
  audit.record({ at: clock.now(), actor, action: 'config.changed', subject: 'config.yaml', detail })
  return { hash: saved.hash, changes: [...saved.changes], timestamp: clock.now() }
}
