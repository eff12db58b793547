import { useEffect, useState } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { texts } from './texts.ts'

/** `label` says what is copied: "Copy session id". */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = (): void => void navigator.clipboard.writeText(text).then(() => setCopied(true))
  return (
    <Button look="quiet" aria-label={label} title={label} className="size-8 !px-0" onClick={copy}>
      <Icon name={isCopied ? 'check' : 'copy'} className="size-4" />
      <span role="status" className="sr-only">
        {isCopied ? texts.copied : ''}
      </span>
    </Button>
  )
}
