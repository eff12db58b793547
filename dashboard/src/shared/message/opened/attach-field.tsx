import { type ClipboardEvent, type DragEvent, useRef } from 'react'
import { fileSize } from '../../format/figures.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { texts } from './texts.ts'
import type { Files } from './use-files.ts'

/** The handlers for pasted and dropped files: put them on the form around the field. */
export function takesFiles({ add }: Files) {
  return {
    onPaste: (event: ClipboardEvent): void => {
      const files = [...event.clipboardData.files]
      if (files.length === 0) return
      event.preventDefault()
      void add(files)
    },
    onDragOver: (event: DragEvent): void => {
      if (event.dataTransfer.types.includes('Files')) event.preventDefault()
    },
    onDrop: (event: DragEvent): void => {
      if (event.dataTransfer.files.length === 0) return
      event.preventDefault()
      void add([...event.dataTransfer.files])
    },
  }
}

/** A button that chooses files. */
export function AttachButton({ files, isDisabled }: { readonly files: Files; readonly isDisabled: boolean }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        data-attach
        onChange={({ target }) => {
          void files.add([...(target.files ?? [])])
          // So that the same file can be chosen again.
          target.value = ''
        }}
      />
      <Button disabled={isDisabled} onClick={() => input.current?.click()}>
        <Icon name="attach" className="size-4" />
        {texts.attach}
      </Button>
    </>
  )
}

/** The chosen files, and why any that were refused cannot be sent. */
export function ChosenFiles({ files: { files, problems, remove } }: { readonly files: Files }) {
  return (
    <>
      {files.length > 0 && (
        <ul aria-label={texts.attachedFiles} className="flex flex-wrap gap-2">
          {files.map(({ id, name, bytes, preview }) => (
            <li
              key={id}
              className="border-line bg-panel flex max-w-full items-center gap-2 rounded-md border p-1 text-xs"
            >
              {preview !== undefined && <img src={preview} alt="" className="size-10 rounded object-cover" />}
              <span className="min-w-0 wrap-anywhere">
                {name} <span className="text-muted">{fileSize(bytes)}</span>
              </span>
              <IconButton label={texts.remove(name)} onClick={() => remove(id)}>
                <Icon name="close" className="size-4" />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      {problems.length > 0 && (
        <p role="alert" className="text-bad text-xs wrap-anywhere">
          {texts.notAttached(problems.join(' '))}
        </p>
      )}
    </>
  )
}
