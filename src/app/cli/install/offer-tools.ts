import type { CommandContext } from '../context.ts'
import { choose } from '../prompt.ts'
import { allowTools, areToolsAllowed, settingsFile, toolsRule } from './allow-tools.ts'
import { typedCommand } from './own-command.ts'

interface OfferOptions {
  /** Whether the command line asks for the rule. */
  readonly isAsked: boolean
  /** False for a registration in one project, which must not decide for all projects. */
  readonly isOffered: boolean
  readonly dryRun: boolean
  readonly json: boolean
  /** Path of the record for `iris uninstall`. */
  readonly record: string
}

/** Offers a rule that lets Claude Code use Iris's tools without asking. Resolves to true if the rule was added. */
export async function offerTools(
  context: CommandContext,
  { isAsked, isOffered, dryRun, json, record }: OfferOptions,
): Promise<boolean> {
  if ((!isAsked && !isOffered) || areToolsAllowed(context.env)) return false
  const file = settingsFile(context.env)
  if (dryRun) {
    if (isAsked && !json) context.say(`Would add ${toolsRule} to permissions.allow of ${file}.`)
    return false
  }
  if (!isAsked && !(await isChosen(context, json))) {
    if (!json) {
      const allowing = `"${typedCommand(context)} install --allow-tools" allows them all.`
      context.say(`Claude Code asks you before it uses a tool of Iris, or decides by itself in auto mode. ${allowing}`)
      context.say(`"claude -p" cannot ask, so there they need: --allowedTools ${toolsRule}`)
    }
    return false
  }
  await allowTools(context.env, record)
  if (!json)
    context.say(
      `Added ${toolsRule} to permissions.allow of ${file}. Claude Code now uses Iris's tools without asking you.`,
    )
  return true
}

async function isChosen(context: CommandContext, json: boolean): Promise<boolean> {
  if (json || !context.isInteractive) return false
  const question = `May Claude Code use the tools of Iris without asking you or deciding each time (the rule ${toolsRule})?`
  const answers = [
    { value: 'no', label: 'No. Claude Code asks me each time; in auto mode, it decides by itself' },
    { value: 'yes', label: "Yes. Iris's rules still decide what a team may do for it" },
  ] as const
  return (await choose(context, question, answers)) === 'yes'
}
