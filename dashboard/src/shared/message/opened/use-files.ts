import { useState } from 'react'
import { type Chosen, withFiles } from './files.ts'

const none: Chosen = { files: [], problems: [] }

/**
 * The files that a person has chosen for a message. `onChange` is called when the files change, because with other
 * files it is a different message.
 */
export function useFiles(onChange: () => void) {
  const [chosen, setChosen] = useState(none)
  return {
    ...chosen,
    add: async (more: readonly File[]): Promise<void> => {
      if (more.length === 0) return
      const next = await withFiles(chosen.files, more)
      setChosen(next)
      onChange()
    },
    remove: (id: string): void => {
      setChosen({ files: chosen.files.filter((file) => file.id !== id), problems: [] })
      onChange()
    },
    clear: (): void => setChosen(none),
  }
}

export type Files = ReturnType<typeof useFiles>
