import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { CommandContext } from '../context.ts'
import type { Keyboard } from './keyboard.ts'

export interface ReadOptions {
  readonly context: CommandContext
  readonly keyboard: Keyboard
  readonly prompt: string
  /** Earlier messages, the latest first. `readMessage` adds each single-line message. */
  readonly history: string[]
  readonly complete: (line: string) => [string[], string]
  /** Called when the person leaves by Ctrl-C. */
  readonly onInterrupt: () => void
}

/**
 * Reads one message; a line that ends with a backslash continues on the next one. Undefined if the person left by
 * Ctrl-D, or by Ctrl-C on an empty line.
 */
export async function readMessage(options: ReadOptions): Promise<string | undefined> {
  const lines: string[] = []
  for (;;) {
    const prompt = lines.length === 0 ? options.prompt : '… '
    const line = await options.keyboard.lendTo((keys) => readLine({ ...options, prompt }, keys))
    if (line === undefined) return undefined
    lines.push(line.replace(/\\$/, ''))
    if (!line.endsWith('\\')) break
  }
  const message = lines.join('\n')
  if (lines.length === 1 && message.trim() !== '') options.history.unshift(message)
  return message
}

function readLine(
  { context, prompt, history, complete, onInterrupt }: ReadOptions,
  keys: Readable,
): Promise<string | undefined> {
  const reader = createInterface({
    input: keys,
    output: context.stdout,
    terminal: true,
    prompt,
    history: history.filter((each) => !each.includes('\n')),
    completer: complete,
  })
  return new Promise((resolve) => {
    let read: string | undefined
    reader.on('line', (line) => {
      read = line
      reader.close()
    })
    reader.on('SIGINT', () => {
      if (reader.line === '') {
        onInterrupt()
        return reader.close()
      }
      // As in a shell: Ctrl-C discards the line but leaves it visible.
      context.stdout.write('^C\n')
      reader.write(null, { ctrl: true, name: 'e' })
      reader.write(null, { ctrl: true, name: 'u' })
      reader.prompt()
    })
    reader.on('close', () => {
      if (read === undefined) context.stdout.write('\n')
      resolve(read)
    })
    reader.prompt()
  })
}
