import { CopyBox } from '~/portal/copy-box.tsx'
import { useWords } from '~/portal/words/spoken.tsx'
import { clientSetups, installLinks, KEY, type Setup } from './client-setups.ts'

/** Instructions for connecting the usual clients to the tool server. */
export function ToolClients({ home }: { home: string }) {
  const { words, say } = useWords()
  const url = `${home}/mcp`
  return (
    <section class="stack-tight" aria-labelledby="tools-title">
      <h2 id="tools-title">{say('tools.title')}</h2>
      <p class="muted">{say('tools.lead', { key: KEY })}</p>
      <CopyBox id="client-address" label={say('data.address')} text={url} />
      <p class="muted small">{say('tools.open')}</p>
      <p class="actions">
        {installLinks(url).map(({ name, href }) => (
          <a key={name} class="button button-quiet" href={href}>
            {say('tools.add', { name })}
          </a>
        ))}
      </p>
      {clientSetups(words, url).map((setup, i) => (
        <ClientSetup key={setup.name} id={`client-${i}`} setup={setup} />
      ))}
    </section>
  )
}

function ClientSetup({ id, setup: { name, signIn, withKey } }: { id: string; setup: Setup }) {
  const { say } = useWords()
  return (
    <details>
      <summary>{name}</summary>
      <div class="stack-tight details-body">
        <h3>{say('tools.sign-in')}</h3>
        <p class="muted small">{signIn.where}</p>
        <CopyBox id={id} label={say('tools.set-up', { name })} text={signIn.text} />
        <h3>{say('tools.with-key')}</h3>
        <p class="muted small">{withKey.where}</p>
        <CopyBox id={`${id}-key`} label={say('tools.set-up-key', { name })} text={withKey.text} />
      </div>
    </details>
  )
}
