// The names of the programs that each family of tools knows, so that a family need not be loaded to be found.
// INVARIANT: no name stands in two families; a test holds each list against its family.

export const namesIn = {
  packages:
    'ansible-galaxy asdf bundle bundler cabal cargo carthage changeset composer conan conda corepack cpan cpanm dart dotnet easy_install fastlane flit flutter fnm gem go gradle gradlew hatch helmfile jsr lerna luarocks mamba micromamba mise mix mvn mvnw n ncu npm-check-updates nuget nvm opam ovsx pdm pipenv pipx pod poetry pub pyenv rbenv rebar3 release-it rustup rvm rye sbt sdk sdkmanager semantic-release stack swift twine uv vcpkg virtualenv volta vsce',
} as const;

export type Family = keyof typeof namesIn;
