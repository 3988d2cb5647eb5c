// The names of the programs that each family of tools knows, so that a family need not be loaded to be found.
// INVARIANT: no name stands in two families; a test holds each list against its family.

export const namesIn = {
  packages:
    'ansible-galaxy bundle bundler cabal cargo carthage composer conan conda corepack cpan cpanm dart dotnet easy_install fastlane flutter gem go gradle gradlew hatch helmfile jsr luarocks mamba micromamba mix mvn mvnw n nuget opam pdm pipenv pipx pod poetry pub rebar3 rustup rvm rye sbt sdkmanager stack swift uv vcpkg',
} as const;

export type Family = keyof typeof namesIn;
