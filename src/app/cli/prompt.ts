import type { Readable } from 'node:stream'
import { terminalSafe } from '../../base/lib/visible.ts'
import type { CommandContext } from './context.ts'

export interface Choice<Value extends string> {
  readonly value: Value
  readonly label: string
  readonly hint?: string
}

interface ChooseOptions {
  /** The question is withdrawn when this signal aborts. */
  readonly signal?: AbortSignal
  /** The source of key presses. Default: stdin. */
  readonly keys?: Readable | undefined
}

/** The chosen value; undefined when the person left or the signal aborted. */
export async function choose<Value extends string>(
  context: CommandContext,
  message: string,
  choices: readonly Choice<Value>[],
  { signal, keys }: ChooseOptions = {},
): Promise<Value | undefined> {
  const { isCancel, select } = await import('@clack/prompts')
  const given = { ...streamsOf(context), ...(signal && { signal }), ...(keys && { input: keys }) }
  const chosen = await select({ message: terminalSafe(message), options: choices.map(optionOf), ...given })
  return isCancel(chosen) ? undefined : (chosen as Value)
}

/** A question whose first answer is no. */
export async function isChosen(context: CommandContext, question: string): Promise<boolean> {
  const answers = [
    { value: 'no', label: 'No, change nothing' },
    { value: 'yes', label: 'Yes' },
  ] as const
  return (await choose(context, question, answers)) === 'yes'
}

/** Like `choose`, but typing narrows the list. */
export async function chooseByTyping<Value extends string>(
  context: CommandContext,
  message: string,
  choices: readonly Choice<Value>[],
): Promise<Value | undefined> {
  const { autocomplete, isCancel } = await import('@clack/prompts')
  const chosen = await autocomplete({
    message: terminalSafe(message),
    options: choices.map(optionOf),
    ...streamsOf(context),
  })
  return isCancel(chosen) ? undefined : (chosen as Value)
}

/** Any number of values, none chosen at first; undefined when the person left. */
export async function chooseSeveral<Value extends string>(
  context: CommandContext,
  message: string,
  choices: readonly Choice<Value>[],
): Promise<readonly Value[] | undefined> {
  const { isCancel, multiselect } = await import('@clack/prompts')
  const options = choices.map(({ value, label }) => ({ value: value as string, label: terminalSafe(label) }))
  const chosen = await multiselect({ message, options, required: false, ...streamsOf(context) })
  return isCancel(chosen) ? undefined : (chosen as Value[])
}

/** The text that the person writes; undefined when they left. */
export async function askText(
  context: CommandContext,
  message: string,
  initialValue = '',
): Promise<string | undefined> {
  const { isCancel, text } = await import('@clack/prompts')
  const written = await text({ message: terminalSafe(message), initialValue, ...streamsOf(context) })
  return isCancel(written) ? undefined : written
}

/** Like `askText`, but the screen shows a sign for each character. */
export async function askSecret(context: CommandContext, message: string): Promise<string | undefined> {
  const { isCancel, password } = await import('@clack/prompts')
  const validate = (value?: string): string | undefined => (value?.trim() ? undefined : 'It is empty.')
  const written = await password({ message: terminalSafe(message), validate, ...streamsOf(context) })
  return isCancel(written) ? undefined : written.trim()
}

function optionOf({ value, label, hint }: Choice<string>) {
  return { value, label: terminalSafe(label), ...(hint !== undefined && { hint: terminalSafe(hint) }) }
}

function streamsOf({ stdin, stdout }: CommandContext) {
  return { input: stdin, output: stdout }
}
