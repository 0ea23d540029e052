/** @jsxImportSource preact */
import { CopyBox } from '~/portal/copy-box.tsx'
import { clientSetups, installLinks, KEY, type Setup } from './client-setups.ts'

/** Instructions for connecting the usual clients to the tool server. */
export function ToolClients({ home }: { home: string }) {
  const url = `${home}/mcp`
  return (
    <section class="stack-tight" aria-labelledby="tools-title">
      <h2 id="tools-title">Tools for agents</h2>
      <p class="muted">
        The same data over the Model Context Protocol, counted on the same quota. A client that can
        sign in needs only this address: it sends you here to sign in and to allow it. Any other
        takes one of your keys, in the place of {KEY}.
      </p>
      <CopyBox id="client-address" label="the address" text={url} />
      <p class="muted small">These open the application if you have it, with all filled in:</p>
      <p class="actions">
        {installLinks(url).map(({ text, href }) => (
          <a key={text} class="button button-quiet" href={href}>
            {text}
          </a>
        ))}
      </p>
      {clientSetups(url).map((setup, i) => (
        <ClientSetup key={setup.name} id={`client-${i}`} setup={setup} />
      ))}
    </section>
  )
}

const ClientSetup = ({ id, setup: { name, signIn, withKey } }: { id: string; setup: Setup }) => (
  <details>
    <summary>{name}</summary>
    <div class="stack-tight details-body">
      <h3>By signing in</h3>
      <p class="muted small">{signIn.where}</p>
      <CopyBox id={id} label={`the set-up for ${name}`} text={signIn.text} />
      <h3>With a key</h3>
      <p class="muted small">{withKey.where}</p>
      <CopyBox id={`${id}-key`} label={`the set-up for ${name} with a key`} text={withKey.text} />
    </div>
  </details>
)
