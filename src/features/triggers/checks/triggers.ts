import type { CheckContext, Diagnosis } from '../../../app/doctor/check-context.ts'
import { isLimited, roleOf } from '../../../platform/config/roles.ts'
import { secretsIn } from '../trigger-secrets.ts'

const check = 'triggers'

/** Whether each trigger has its secret, and which triggers give outside programs the rights of a team. */
export async function triggers({ config, home, env }: CheckContext): Promise<readonly Diagnosis[]> {
  const all = [...config.triggers.values()]
  const found = await Promise.all(
    all.map(async (trigger) => {
      const { problems } = await secretsIn(trigger, home, env)
      return problems.map((problem): Diagnosis => {
        const remedy = 'docs/guide/triggers.md says how'
        return { check, state: 'fail', detail: `${trigger.name}: ${problem}`, remedy }
      })
    }),
  )
  const open = all.filter(({ role }) => !isLimited(roleOf(config, role)))
  const wide = open.map(({ name, role, team }): Diagnosis => {
    const detail = `texts that come by ${name} are answered with the rights of ${team}, by the role ${role}`
    return { check, state: 'warn', detail, remedy: `iris config set triggers.${name}.role chat_bot` }
  })
  const problems = [...found.flat(), ...wide]
  if (all.length === 0 || problems.length > 0) return problems
  return [{ check, state: 'ok', detail: `secrets of ${all.map(({ name }) => name).join(', ')}` }]
}
