// Programs that make one file out of others: compilers, converters of documents, pictures and sound.

import type { Value } from '../../effects.ts';
import {
  after,
  beginningOf,
  type Call,
  effect,
  literal,
  mapValue,
  nameTarget,
  pathTarget,
  read,
  textOf,
  valueWords,
  write,
} from '../../tools/tool.ts';
import { type Card, type Fact, ofOptions } from '../card.ts';
import { family, table } from '../files.ts';
import { readOptions } from '../options.ts';

const converters = family(
  `
  reads files: read…
    % a .env → read a; read .env; secret .env (environment)
    % - → nothing
`,
  `
xgettext | o/output= L= k= d= p= f= | o output L k d p f
  writes the file that is named: o=write
    xgettext a --output=b → write b (overwrite)
    xgettext a → nothing
msgfmt a2ps | o= | o
  writes the file that is named: o=write
    <msgfmt a2ps> a -o b → write b (overwrite)
    <msgfmt a2ps> a → nothing
dot | T= o= K= G= N= E= | T o K G N E
  writes the file that is named: o=write
    dot a -ob → write b (overwrite)
    dot a → nothing
openscad | o= D= | o D
  writes the file that is named: o=write
    openscad a -o b → write b (overwrite)
    openscad a → nothing
mmdc | i/input= o/output= t= b= w= H= c= | i input o output t b w H c
  writes the file that is named: output=write
    mmdc -i a --output b → write b (overwrite)
    mmdc -i a → nothing
`,
);

const wholeWords = family(
  `
  reads files: read…
    % a .env → read a; read .env; secret .env (environment)
    % - → nothing
`,
  `
lipo | output/o= thin= | output o thin
  writes the file that is named: output=write
    lipo -create a -output b → write b (overwrite)
    lipo -info a → nothing
identify | format= | format
ffprobe | v= show_entries= of= select_streams= print_format= loglevel= i= | v show_entries of select_streams print_format loglevel i
  reads the file that is named: i=read
    ffprobe -i a → read a
    ffprobe a → nothing
`,
  { wholeWords: true },
);

const pictures = family(
  `
  makes its last file of the others, or of what an address has: look* write
    % a .env c → read a; read .env; secret .env (environment); write c (overwrite)
    % https://h.example/a b → connect h.example (GET); write b (overwrite)
    % a - → read a
    % → nothing
`,
  `
ffmpeg | i= f= c= codec= vcodec= acodec= b= r= s= t= ss= to= vf= af= filter_complex= map= preset= crf= pix_fmt= loglevel= ab= ar= ac= aspect= qscale= q= metadata= threads= movflags= profile= level= g= bufsize= maxrate= sources= sinks= v= max_alloc= max_error_rate= vol= cpuflags= cpucount= progress= timelimit= adrift_threshold= copytb= dts_delta_threshold= dts_error_threshold= abort_on= lavfi= filter_complex_script= stats_period= vstats_file= sdp_file= init_hw_device= filter_hw_device= map_metadata= fs= sseof= timestamp= program= target= frames= filter_script= map_channel= map_chapters= isync= itsoffset= itsscale= dframes= readrate= tag= attach= dump_attachment= stream_loop= bits_per_raw_sample= muxdelay= muxpreload= time_base= enc_time_base= bsf= fpre= max_muxing_queue_size= muxing_queue_data_threshold= dcodec= vframes= fpsmax= timecode= pass= rc_override= passlogfile= intra_matrix= inter_matrix= chroma_intra_matrix= vtag= streamid= force_key_frames= hwaccel= hwaccel_device= hwaccel_output_format= vbsf= vpre= aframes= aq= atag= sample_fmt= channel_layout= ch_layout= absf= apre= scodec= stag= canvas_size= spre= pre= filter= | i f c codec vcodec acodec b r s t ss to vf af filter_complex map preset crf pix_fmt loglevel ab ar ac aspect qscale q metadata threads movflags profile level g bufsize maxrate sources sinks v max_alloc max_error_rate vol cpuflags cpucount progress timelimit adrift_threshold copytb dts_delta_threshold dts_error_threshold abort_on lavfi filter_complex_script stats_period vstats_file sdp_file init_hw_device filter_hw_device map_metadata fs sseof timestamp program target frames filter_script map_channel map_chapters isync itsoffset itsscale dframes readrate tag attach dump_attachment stream_loop bits_per_raw_sample muxdelay muxpreload time_base enc_time_base bsf fpre max_muxing_queue_size muxing_queue_data_threshold dcodec vframes fpsmax timecode pass rc_override passlogfile intra_matrix inter_matrix chroma_intra_matrix vtag streamid force_key_frames hwaccel hwaccel_device hwaccel_output_format vbsf vpre aframes aq atag sample_fmt channel_layout ch_layout absf apre scodec stag canvas_size spre pre filter
  reads the file, or asks the address, that is named: i=look
    ffmpeg -i a b → read a
    ffmpeg -i https://h.example/a b → connect h.example (GET)
    ffmpeg a b → nothing
convert | resize= quality= density= rotate= crop= gravity= background= extent= fill= pointsize= draw= annotate= font= colorspace= depth= geometry= alpha= border= bordercolor= define= layers= delay= loop= fuzz= transparent= size= threshold= compress= page= interlace= sharpen= blur= thumbnail= | resize quality density rotate crop gravity background extent fill pointsize draw annotate font colorspace depth geometry alpha border bordercolor define layers delay loop fuzz transparent size threshold compress page interlace sharpen blur thumbnail
magick | resize= quality= density= rotate= crop= gravity= | resize quality density rotate crop gravity
sox | r= c= b= e= t= v= | r c b e t v
`,
  { wholeWords: true },
);

const edited = table(`
objcopy | O/output-target= I/input-target= F/target= j/only-section= R/remove-section= add-section= update-section= dump-section= | O output-target I input-target F target j only-section R remove-section add-section update-section dump-section
  makes one file of another, or changes the only one: read* edit
    objcopy -O binary a b → read a; write b (edit)
    objcopy a → write a (edit)
    objcopy → nothing
addr2line | e= | e
  reads the program that is named: e=read
    addr2line -e a 0x1 → read a
    addr2line 0x1 → nothing
strip | o= R= K= N= | o R K N
  changes files: edit…
    strip -R x a b → write a (edit); write b (edit)
    strip → nothing
`);

const changed = table(
  `
mogrify | resize= quality= format= path= rotate= crop= density= | resize quality format path rotate crop density
  changes files: edit…
    mogrify -resize 5 a b → write a (edit); write b (edit)
    mogrify → nothing
`,
  { wholeWords: true },
);

const editors = family(
  `
  opens files to change them: !R,M?open…
    % a +5 .env → read a; write a (edit); read .env; secret .env (environment); write .env (edit)
    % -R a → nothing
    % -M a → nothing
  shows files: R,M?view…
    % -R a b +5 → read a; read b
    % -M a → read a
    % a → nothing
`,
  `
vidir nano pico joe jed gedit kate cursor mate | c= u= s= S= w= W= T= i= t= U= f= g/goto= a/add= eval= load= script= | c u s S w W T i t U f g goto a add eval load script
hx | c= u= s= S= w= W= T= i= t= U= f= g/goto= a/add= eval= load= script= grammar= | c u s S w W T i t U f g goto a add eval load script grammar
subl | c= u= S= W= T= i= t= U= w/wait f= g/goto= eval= load= script= project= command= | c u S W T i t U f g goto eval load script project command
micro | c= u= s= S= W= T= i= t= U= w/wait f= g/goto= a/add= eval= load= script= config-dir= autosave= backupdir= clipboard= colorcolumn= colorscheme= divchars= encoding= fileformat= filetype= indentchar= pluginchannels= pluginrepos= scrollmargin= scrollspeed= statusformatl= statusformatr= sucmd= tabsize= | c u s S W T i t U f g goto a add eval load script config-dir autosave backupdir clipboard colorcolumn colorscheme divchars encoding fileformat filetype indentchar pluginchannels pluginrepos scrollmargin scrollspeed statusformatl statusformatr sucmd tabsize
code | c= u= S= W= T= i= t= U= w/wait f= g/goto= a/add= eval= load= script= locale= user-data-dir= profile= extensions-dir= category= log= disable-extension= sync= inspect-extensions= inspect-brk-extensions= max-memory= | c u S W T i t U f g goto a add eval load script locale user-data-dir profile extensions-dir category log disable-extension sync inspect-extensions inspect-brk-extensions max-memory
`,
);

/** Options of compilers, most of them behind one dash. */
const compilerOptions =
  'o= I= L= l= D= U= x= include= isystem= MF= MT= MQ= std= march= target= arch= framework= Xlinker= T= e= z= F= B= wrapper= fplugin= specs= c S E M MM analyze analyzer-output= arcmt-migrate-report-output= config= cxx-isystem= dependency-dot= dependency-file= dsym-dir= fmodules-user-build-path= G= iapinotes-modules= idirafter= iframeworkwithsysroot= iframework= imacros= include-pch= index-store-path= index-unit-output-path= iprefix= iquote= isysroot= isystem-after= ivfsoverlay= iwithprefixbefore= iwithprefix= iwithsysroot= meabi= MJ= mllvm= module-dependency-dir= mthread-model= serialize-diagnostics= stdlib++-isystem= target-variant= Tbss= Tdata= Ttext= working-directory= Xanalyzer= Xarch_device= Xarch_host= Xassembler= Xclang= Xcuda-fatbinary= Xcuda-ptxas= Xpreprocessor=';

const rustOptions =
  'o= I= L= l= D= U= x= include= std= target= arch= T= e= z= F= B= c S E M MM cfg= crate-type= crate-name= edition= emit= print= out-dir= explain= W= warn= A= allow= deny= forbid= cap-lints= C= codegen= Z= extern= sysroot= error-format= color=';

/** Words of a compiler with what is attached to one letter parted from it. */
function parted(argument: Value): Value {
  return /^-[oILlDU]./.test(beginningOf(argument))
    ? mapValue(argument, (text) => `-${text.charAt(1)}=${text.slice(2)}`)
    : argument;
}

/** A program that a compiler starts, or a library that it loads: behind `-B`, as its linker, or as a plug-in of that. */
function helperIn(argument: Value, before: Value | undefined): string | undefined {
  const [, prefix, linker] = /^(?:-B(.+)|(?:-C)?linker=(.+))$/.exec(beginningOf(argument)) ?? [];
  const plugin = textOf(before) === '-plugin' ? beginningOf(argument) : undefined;
  return prefix ?? linker ?? plugin;
}

function compiler({ names, options, readings }: Pick<Card, 'names' | 'options' | 'readings'>): Card {
  const given = ({ args }: Call) => readOptions(options, { wholeWords: true }, args.map(parted), valueWords);
  const [name = ''] = names.split(' ');
  return {
    names,
    options,
    manner: { wholeWords: true },
    readings,
    facts: [
      {
        what: 'reads sources, and lists of words',
        effects: (call) =>
          given(call).operands.flatMap((path) =>
            read(call, beginningOf(path).startsWith('@') ? after(path, 1) : path),
          ),
        examples: {
          hit: { [`${name} -Lb a @c -lx`]: 'read a; read c' },
          miss: [`${name} -Ia -DX -UX`],
        },
      },
      {
        what: 'writes what it makes',
        effects: (call) => {
          const reading = given(call);
          const named = reading.all('o').flatMap((path) => write(call, path, { detail: 'overwrite' }));
          const elsewhere = reading.has('o', 'c', 'S', 'E', 'M', 'MM') || reading.operands.length === 0;
          return elsewhere ? named : [...named, ...write(call, literal('a.out'), { detail: 'overwrite' })];
        },
        examples: {
          hit: {
            [`${name} a`]: 'write a.out (overwrite)',
            [`${name} a -o b`]: 'write b (overwrite)',
            [`${name} -ob a`]: 'write b (overwrite)',
          },
          miss: [`${name} -<c S E M MM> a`, `${name} --version`],
        },
      },
      {
        what: 'runs programs and libraries of others',
        effects: (call) =>
          call.args.flatMap((argument, index) => {
            const path = helperIn(argument, call.args[index - 1]);
            return path?.includes('/') === true
              ? [effect(call, 'run', { detail: 'helper', target: pathTarget(literal(path)) })]
              : [];
          }),
        examples: {
          hit: {
            [`${name} -B./x a`]: 'run ./x (helper)',
            [`${name} -Clinker=./x a`]: 'run ./x (helper)',
            [`${name} -C linker=./x a`]: 'run ./x (helper)',
            [`${name} -plugin ./x a`]: 'run ./x (helper)',
          },
          miss: [`${name} a`, `${name} -Bx a`, `${name} -plugin x a`],
        },
      },
    ],
  };
}

const wrapped: Fact = {
  what: 'runs a wrapper, or loads plug-ins and rules',
  effects: (call, given) =>
    [
      ...given.all('wrapper', 'fplugin', 'specs'),
      // `-Xclang -load -Xclang x.so`: what stands behind `-load` is a plug-in.
      ...given
        .all('Xclang')
        .filter((_, at, words) => /^-(?:load|plugin)$/.test(beginningOf(words[at - 1] ?? literal('')))),
    ].map((helper) => effect(call, 'run', { detail: 'helper', target: nameTarget(helper) })),
  examples: {
    hit: {
      'clang -Xclang -load -Xclang x.so a': 'run x.so (helper)',
      'gcc -wrapper x a': 'run x (helper)',
      'gcc -fplugin=./x.so a': 'run ./x.so (helper)',
      'gcc -specs=x a': 'run x (helper)',
    },
    miss: ['gcc a', 'clang -Xclang -disable-llvm-passes a'],
  },
};

const dependencies: Fact = {
  what: 'writes what a source depends on',
  effects: ofOptions('MF', (call, path) => write(call, path, { detail: 'overwrite' })),
  examples: { hit: { 'gcc -MF b -c a': 'write b (overwrite)' }, miss: ['gcc -c a'] },
};

const cCompilers = compiler({
  names: 'gcc g++ cc c++ clang clang++ tcc as ld gfortran cpp nvcc',
  options: compilerOptions,
  readings: {
    valued:
      'o I L l D U x include isystem MF MT MQ std march target arch framework Xlinker T e z F B wrapper fplugin specs analyzer-output arcmt-migrate-report-output config cxx-isystem dependency-dot dependency-file dsym-dir fmodules-user-build-path G iapinotes-modules idirafter iframeworkwithsysroot iframework imacros include-pch index-store-path index-unit-output-path iprefix iquote isysroot isystem-after ivfsoverlay iwithprefixbefore iwithprefix iwithsysroot meabi MJ mllvm module-dependency-dir mthread-model serialize-diagnostics stdlib++-isystem target-variant Tbss Tdata Ttext working-directory Xanalyzer Xarch_device Xarch_host Xassembler Xclang Xcuda-fatbinary Xcuda-ptxas Xpreprocessor',
    flags: 'c S E M MM analyze',
  },
});

const rust = compiler({
  names: 'rustc',
  options: rustOptions,
  readings: {
    valued:
      'o I L l D U x include std target arch T e z F B cfg crate-type crate-name edition emit print out-dir explain W warn A allow deny forbid cap-lints C codegen Z extern sysroot error-format color',
    flags: 'c S E M MM',
  },
});

export const cards: readonly Card[] = [
  ...converters,
  ...wholeWords,
  ...pictures,
  ...edited,
  ...changed,
  ...editors,
  { ...cCompilers, facts: [...cCompilers.facts, dependencies, wrapped] },
  rust,
];
