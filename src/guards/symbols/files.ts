// Which files have references to look up: sources of the indexed languages, prose and data, and everything else.

/** Sources of the indexed languages, for code that must not load the languages themselves. */
export const indexedSource = /\.(?:(?:c|m)?(?:j|t)sx?|pyi?|go)$/;

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** Prose, data, settings and media: nothing in them is a name that must exist elsewhere. */
const inertEndings = words(`
  txt md mdx markdown rst adoc org tex csv tsv json json5 jsonc jsonl ndjson geojson yaml yml toml ini cfg conf in
  properties xml lock sum mod work log diff patch map snap po pot srt vtt typed
  svg png jpg jpeg gif webp avif ico bmp tif tiff pdf woff woff2 ttf otf eot mp3 mp4 ogg wav webm
  zip gz tgz bz2 xz zst 7z pem crt key pub sig asc
`);
const inertNames = words(`
  license licence copying notice readme changelog changes authors contributors codeowners version
  .gitignore .gitattributes .gitkeep .gitmodules .dockerignore .npmignore .prettierignore .eslintignore
  .editorconfig .npmrc .nvmrc .node-version .python-version .env
`);

/** Whether a file of this name can refer to something, so that it passes only if that was looked up. */
export function hasReferences(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (inertNames.has(name) || name.startsWith('.env.')) return false;
  const dot = name.lastIndexOf('.');
  return dot <= 0 || !inertEndings.has(name.slice(dot + 1));
}
