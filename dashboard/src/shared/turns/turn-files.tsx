import { useState } from 'react'
import type { Attachment } from '../../../../src/base/protocol/attachment.ts'
import { call, Problem } from '../api/operations.ts'
import { useOperation } from '../api/use-operation.ts'
import { fileSize } from '../format/figures.ts'
import { isPicture } from '../message/opened/files.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { texts } from './texts.ts'

interface TurnFilesProps {
  readonly turnId: string
  readonly files: readonly Attachment[] | undefined
}

/** The files that came with a message. Pictures are shown, and each file can be downloaded. */
export function TurnFiles({ turnId, files = [] }: TurnFilesProps) {
  if (files.length === 0) return null
  return (
    <ul aria-label={texts.filesOfTheMessage} className="mt-1 flex flex-wrap items-end gap-2 text-xs">
      {files.map((file, index) => (
        // The list never changes.
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may be the same
        <li key={index} className="border-line flex max-w-full flex-col gap-1 rounded-md border p-2">
          {isPicture(file) && file.sha256 !== undefined && <Picture turnId={turnId} index={index} name={file.name} />}
          <span className="wrap-anywhere">
            {file.name} <span className="text-muted">{fileSize(file.bytes)}</span>
          </span>
          {file.sha256 === undefined ? (
            <span className="text-muted">{texts.deleted}</span>
          ) : (
            <Download turnId={turnId} index={index} name={file.name} />
          )}
        </li>
      ))}
    </ul>
  )
}

interface OneFile {
  readonly turnId: string
  readonly index: number
  readonly name: string
}

function Picture({ turnId, index, name }: OneFile) {
  const { data } = useOperation('get_attachment', { turnId, number: index + 1 })
  if (data === undefined) return <div className="bg-raised h-32 w-40 rounded" aria-hidden="true" />
  return <img src={`data:${data.mediaType};base64,${data.data}`} alt={name} className="max-h-64 max-w-full rounded" />
}

function Download({ turnId, index, name }: OneFile) {
  const [problem, setProblem] = useState<Problem>()
  const download = async (): Promise<void> => {
    try {
      const { data } = await call('get_attachment', { turnId, number: index + 1 })
      const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
      // Never shown by the browser: it could be a page with scripts.
      const address = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }))
      const link = document.createElement('a')
      link.href = address
      link.download = name
      link.click()
      URL.revokeObjectURL(address)
      setProblem(undefined)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      setProblem(error)
    }
  }
  return (
    <>
      <Button
        look="quiet"
        className="self-start text-xs"
        aria-label={texts.downloadFile(name)}
        onClick={() => void download()}
      >
        <Icon name="download" className="size-4" />
        {texts.downloadLabel}
      </Button>
      {problem && (
        <p role="alert" className="text-bad">
          {problem.message} {problem.remedy}
        </p>
      )}
    </>
  )
}
