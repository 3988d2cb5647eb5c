// The names of the programs that each family of tools knows, so that a family need not be loaded to be found.
// INVARIANT: no name stands in two families; a test holds each list against its family.

export const namesIn = {
  packages:
    'ansible-galaxy asdf brew bundle bundler cabal cargo carthage changeset composer conan conda corepack cpan cpanm dart dotnet dpkg dpkg-deb easy_install emerge fastlane flit flutter fnm gem go gradle gradlew hatch helmfile jsr lerna luarocks makepkg mamba micromamba mise mix mvn mvnw n ncu nix nix-build nix-collect-garbage nix-env nixos-rebuild npm-check-updates nuget nvm opam ovsx pacman paru pdm pipenv pipx pkgutil pod poetry pub pyenv rbenv rebar3 release-it rpm rustup rvm rye sbt sdk sdkmanager semantic-release softwareupdate stack swift twine update-alternatives uv vcpkg virtualenv volta vsce yay',
} as const;

export type Family = keyof typeof namesIn;
