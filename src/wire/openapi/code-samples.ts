/** A request to the API, as a program sends it. */
export type Question = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly hasKey: boolean
  /** The file name of the response; absent for JSON. */
  readonly fileName?: string
  /** Says whether the response is a stream, which is printed as it comes. */
  readonly isStream?: boolean
  /** JSON body of the request; absent without one. */
  readonly body?: unknown
}

/** One program, in the form of the extension `x-codeSamples`. */
type CodeSample = { readonly lang: string; readonly label: string; readonly source: string }

/** Programs that send the request and print the response; the key is in `CORRIDOR_KEY`. */
export const codeSamples = (question: Question): readonly CodeSample[] => [
  { lang: 'Shell', label: 'curl', source: curl(question) },
  { lang: 'JavaScript', label: 'JavaScript', source: javaScript(question) },
  { lang: 'Python', label: 'Python', source: python(question) },
  { lang: 'PHP', label: 'PHP', source: php(question) },
]

/** The method that curl and Python use for a request that names none. */
const impliedMethod = ({ body }: Question) => (body === undefined ? 'GET' : 'POST')

function curl(question: Question): string {
  const { method, url, hasKey, fileName, isStream, body } = question
  const shell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  return [
    `curl ${isStream ? '-N ' : ''}${shell(url)}`,
    ...(method === impliedMethod(question) ? [] : [`-X ${method}`]),
    ...(hasKey ? ['-H "X-API-Key: $CORRIDOR_KEY"'] : []),
    ...(fileName === undefined ? [] : [`-o ${shell(fileName)}`]),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'"]),
    ...(body === undefined ? [] : [`-d ${shell(JSON.stringify(body))}`]),
  ].join(' \\\n  ')
}

function javaScript({ method, url, hasKey, fileName, isStream, body }: Question): string {
  const headers = [
    ...(hasKey ? ["'X-API-Key': process.env.CORRIDOR_KEY"] : []),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json'"]),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',\n`]),
    ...(headers.length > 0 ? [`  headers: { ${headers.join(', ')} },\n`] : []),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${JSON.stringify(body)}),\n`]),
  ]
  const given = options.length > 0 ? `, {\n${options.join('')}}` : ''
  if (fileName !== undefined)
    return `import { writeFile } from 'node:fs/promises'

const response = await fetch(${quoted(url)}${given})
if (!response.ok) throw new Error((await response.json()).error)
await writeFile(${quoted(fileName)}, new Uint8Array(await response.arrayBuffer()))`
  if (isStream)
    return `const response = await fetch(${quoted(url)}${given})
if (!response.ok) throw new Error((await response.json()).error)
const text = response.body.pipeThrough(new TextDecoderStream())
for await (const events of text) console.log(events)`
  return `const response = await fetch(${quoted(url)}${given})
const answer = await response.json()
if (!response.ok) throw new Error(answer.error)
console.log(JSON.stringify(answer, null, 2))`
}

function python(question: Question): string {
  const { method, url, hasKey, fileName, isStream, body } = question
  const headers = [
    ...(hasKey ? ["'X-API-Key': os.environ['CORRIDOR_KEY']"] : []),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json'"]),
  ]
  const given = [
    `    ${quoted(url)},\n`,
    ...(method === impliedMethod(question) ? [] : [`    method='${method}',\n`]),
    ...(headers.length > 0 ? [`    headers={${headers.join(', ')}},\n`] : []),
    ...(body === undefined ? [] : [`    data=${quoted(JSON.stringify(body))}.encode(),\n`]),
  ]
  if (fileName !== undefined)
    return `import os
from urllib.request import Request, urlopen

request = Request(\n${given.join('')})
with urlopen(request) as response, open(${quoted(fileName)}, 'wb') as file:
    file.write(response.read())`
  if (isStream)
    return `import os
from urllib.request import Request, urlopen

request = Request(\n${given.join('')})
with urlopen(request) as response:
    for line in response:
        print(line.decode(), end='', flush=True)`
  return `import json
${hasKey ? 'import os\n' : ''}from urllib.request import Request, urlopen

request = Request(\n${given.join('')})
with urlopen(request) as response:
    print(json.dumps(json.load(response), indent=2))`
}

function php({ method, url, hasKey, fileName, isStream, body }: Question): string {
  const headers = [
    ...(hasKey ? ["'X-API-Key: ' . getenv('CORRIDOR_KEY')"] : []),
    ...(body === undefined ? [] : ["'Content-Type: application/json'"]),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`    'method' => '${method}',\n`]),
    ...(headers.length > 0 ? [`    'header' => [${headers.join(', ')}],\n`] : []),
    ...(body === undefined ? [] : [`    'content' => ${quoted(JSON.stringify(body))},\n`]),
  ]
  const begin = `<?php
$url = ${quoted(url)};
$context = stream_context_create(['http' => [\n${options.join('')}]]);`
  if (fileName !== undefined)
    return `${begin}
file_put_contents(${quoted(fileName)}, file_get_contents($url, false, $context));`
  if (isStream)
    return `${begin}
$stream = fopen($url, 'r', false, $context);
while (($line = fgets($stream)) !== false) echo $line;`
  return `${begin}
$answer = json_decode(file_get_contents($url, false, $context));
echo json_encode($answer, JSON_PRETTY_PRINT), PHP_EOL;`
}

/** A string in single quotes, as JavaScript, Python and PHP read it. */
const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`
