import { AnsweredChild } from '../../src/platform/hosts/answered-child.ts'
import { HostCommands } from '../../src/platform/hosts/host-commands.ts'
import { SupervisorChannel } from '../../src/platform/hosts/supervisor-channel.ts'
import { isElsewhere } from './is-elsewhere.ts'

/**
 * The unanswered heartbeats, requests and commands of this process's Iris to other machines. It only observes: a lost
 * link ends the requests over it, and late answers end by the product's limits.
 */
const open = new Set<unknown>()
let answered = Promise.withResolvers<void>()

function begin(question: unknown): void {
  if (open.size === 0) answered = Promise.withResolvers()
  open.add(question)
}

function end(question: unknown): void {
  if (open.delete(question) && open.size === 0) answered.resolve()
}

/** Resolves when no machine owes this Iris an answer: at once, unless all teams are elsewhere. */
export async function allAnswered(): Promise<void> {
  while (open.size > 0) await answered.promise
}

type Asks<Name extends string> = Record<Name, (this: unknown, ...given: never[]) => Promise<unknown>>

function watch<Name extends string>({ prototype }: { readonly prototype: Asks<Name> }, name: Name): void {
  const ask = prototype[name]
  prototype[name] = function (...given) {
    const answer = ask.apply(this, given)
    begin(answer)
    const over = (): void => end(answer)
    answer.then(over, over)
    return answer
  }
}

interface Channel {
  write: (this: SupervisorChannel, text: string) => void
  readStatus: (this: SupervisorChannel, onStatus: (words: readonly string[]) => void) => void
}

/** A heartbeat is `p` with its number, and so is its answer. */
function watchHeartbeats({ prototype }: { readonly prototype: Channel }): void {
  const { write, readStatus } = prototype
  prototype.write = function (text) {
    if (/^p \d+\n$/.test(text)) {
      const beat = `${this.nonce} ${text.trim()}`
      begin(beat)
      void this.gone.then(() => end(beat))
    }
    write.call(this, text)
  }
  prototype.readStatus = function (onStatus) {
    readStatus.call(this, (words) => {
      onStatus(words)
      end([this.nonce, ...words].join(' '))
    })
  }
}

if (isElsewhere) {
  watch(AnsweredChild, 'expect')
  watch(HostCommands, 'run')
  watch(SupervisorChannel, 'line')
  watchHeartbeats(SupervisorChannel)
}
