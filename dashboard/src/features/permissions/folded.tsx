import { type ReactNode, useState } from 'react'

interface FoldedProps {
  readonly title: string
  readonly children: ReactNode
}

/** A part of the page that is folded at first; its content is requested once somebody opens it. */
export function Folded({ title, children }: FoldedProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="border-line border-t pt-3" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="cursor-pointer font-semibold">{title}</summary>
      {isOpen && children}
    </details>
  )
}
