import type { Fate, MessageKind } from '../../../src/features/channels/message-kinds.ts'

const says: Readonly<Record<Fate, (how: string | undefined) => string>> = {
  taken: (how) => `The agent gets it${how === undefined ? '' : ` ${how}`}.`,
  quoted: (how = 'with its author') => `Quoted, ${how}.`,
  refused: (how) => `Not read, and the chat says so${more(how)}.`,
  about: (how) => `No content${more(how)}.`,
  event: (how) => `Nobody wrote it, so there is no answer${more(how)}.`,
}

function more(how: string | undefined): string {
  return how === undefined ? '' : `; ${how}`
}

/** The table of the guide: what a message may carry, and what becomes of it. Kinds with several names are there once. */
export function tableOf(kinds: Readonly<Record<string, MessageKind>>): string {
  const order: readonly Fate[] = ['taken', 'quoted', 'refused', 'about', 'event']
  const rows = new Set(
    order.flatMap((fate) =>
      Object.values(kinds).flatMap(({ is, becomes, how }) =>
        becomes === fate ? [`| ${is[0]!.toUpperCase()}${is.slice(1)} | ${says[becomes](how)} |`] : [],
      ),
    ),
  )
  return ['| what a message carries | what becomes of it |', '|---|---|', ...rows].join('\n')
}
