import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Script } from '../../src/app/demo/script.ts'
import { spoken, type World } from './world.ts'

const bash = (command: string) => ({ name: 'Bash', input: { command, description: 'a step' } })

/** Runs a command that leaves one line in a file, then answers. Asked to continue, it looks before it acts. */
export function effectOnce(command: string, file: (message: string) => string = () => 'effects.txt'): Script {
  return ({ conversation: { lastUserText, userTexts, step, toolResults } }) => {
    const message = spoken(userTexts.findLast((text) => text.includes('<iris-message')) ?? '').replace(
      /^.*\n<iris-message [^>]*>\n/s,
      '',
    )
    const write = bash(command.replaceAll('FILE', file(message)))
    if (lastUserText.includes('<iris-continuation>')) {
      if (step === 0) return { toolUses: [bash(`cat ${file(message)} || true`)] }
      if (step === 1 && !toolResults[0]!.text.includes('done')) return { toolUses: [write] }
      return { text: `continued: ${message}` }
    }
    return step === 0 ? { toolUses: [write] } : { text: `at once: ${message}` }
  }
}

/** The files that the commands left in the project of "backend". */
export function effects(world: World, file = 'effects.txt'): string {
  return readFileSync(join(world.directory('backend'), file), 'utf8')
}
