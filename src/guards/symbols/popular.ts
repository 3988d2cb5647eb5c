// The packages that are used most, by the names that they are installed by: what a name that is almost theirs was
// probably meant to be. A name that is not here is no less a package.

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

export const popularNpm: ReadonlySet<string> = words(`
  @angular/animations @angular/cli @angular/common @angular/compiler @angular/core @angular/forms @angular/material
  @angular/platform-browser @angular/router @apollo/client @apollo/server @aws-sdk/client-dynamodb @aws-sdk/client-s3
  @babel/cli @babel/core @babel/generator @babel/parser @babel/plugin-transform-runtime @babel/preset-env
  @babel/preset-react @babel/preset-typescript @babel/runtime @babel/traverse @babel/types @biomejs/biome
  @commitlint/cli @emotion/react @emotion/styled @eslint/js @expo/vector-icons @fastify/cors @fortawesome/fontawesome-free
  @google-cloud/storage @grpc/grpc-js @headlessui/react @heroicons/react @hookform/resolvers @jest/globals
  @mui/icons-material @mui/material @modelcontextprotocol/sdk @nestjs/cli @nestjs/common @nestjs/config @nestjs/core
  @nestjs/jwt @nestjs/passport @nestjs/platform-express @nestjs/swagger @nestjs/testing @nestjs/typeorm @octokit/rest
  @playwright/test @prisma/client @radix-ui/react-dialog @radix-ui/react-slot @reduxjs/toolkit @remix-run/react
  @rollup/plugin-commonjs @rollup/plugin-node-resolve @rollup/plugin-typescript @sentry/browser @sentry/node
  @sentry/react @storybook/react @stripe/stripe-js @supabase/supabase-js @sveltejs/kit @swc/core @tailwindcss/forms
  @tailwindcss/typography @tailwindcss/vite @tanstack/react-query @tanstack/react-table @testing-library/dom
  @testing-library/jest-dom @testing-library/react @testing-library/user-event @types/express @types/jest
  @types/lodash @types/node @types/react @types/react-dom @typescript-eslint/eslint-plugin @typescript-eslint/parser
  @vercel/analytics @vitejs/plugin-react @vitejs/plugin-vue @vitest/coverage-v8 @vitest/ui @vue/test-utils
  acorn ajv ajv-formats angular ansi-styles antd apollo-server archiver argon2 async autoprefixer aws-sdk axios
  babel-core babel-eslint babel-jest babel-loader babel-preset-env babel-preset-react bcrypt bcryptjs better-sqlite3 bignumber.js bluebird body-parser
  bootstrap browserify browserslist bull bullmq bun busboy c8 camelcase chai chalk chart.js cheerio chokidar class-transformer
  class-validator classnames clean-css clsx color colorette colors commander compression concurrently connect
  consola convict cookie cookie-parser copy-webpack-plugin core-js cors cross-env cross-fetch cross-spawn crypto-js
  css-loader csstype csv-parse cypress d3 date-fns dayjs debug deepmerge del discord.js dompurify dotenv dotenv-cli
  drizzle-kit drizzle-orm ejs electron electron-builder eclint ember-cli emotion enquirer enzyme es-module-lexer esbuild eslint
  eslint-config-airbnb eslint-config-next eslint-config-prettier eslint-plugin-import eslint-plugin-jest
  eslint-plugin-jsx-a11y eslint-plugin-prettier eslint-plugin-react eslint-plugin-react-hooks eslint-plugin-vue
  esm espree event-stream eventemitter3 eventsource execa expo express express-rate-limit express-session
  express-validator extract-zip fast-check fast-glob fast-xml-parser fastify file-loader file-saver file-type
  find-up firebase firebase-admin follow-redirects form-data formidable formik framer-motion fs-extra fuse.js gatsby
  get-stream glob globals globby google-auth-library googleapis got graphql graphql-request graphql-tag graphql-yoga
  grunt gulp gulp-sass handlebars hapi helmet highlight.js hono html-webpack-plugin http-proxy http-proxy-middleware
  http-server https-proxy-agent husky i18next iconv-lite immer immutable inquirer ioredis ipaddr.js isomorphic-fetch
  jasmine jest jest-environment-jsdom jimp joi jose jquery js-cookie js-yaml jsdom json5 json-schema jsonschema jsonwebtoken jsx-a11y
  jszip karma keyv knex koa koa-router kleur ky langchain leaflet lerna less less-loader lint-staged lit lodash
  lodash-es lodash.debounce lodash.merge log4js loglevel lru-cache lucide-react luxon magic-string mapbox-gl
  markdown-it marked material-ui mathjs memoize-one meow method-override micromatch mime mime-types mini-css-extract-plugin
  minimatch minimist mitt mkdirp mobx mobx-react mocha moment moment-timezone mongodb mongoose morgan ms msw multer
  mustache mysql mysql2 nan nanoid nats nconf neo4j-driver next next-auth next-themes ng-packagr nock node-cron
  node-fetch node-forge node-gyp node-pty node-sass nodemailer nodemon normalize.css npm npm-run-all nuxt nyc oclif
  octokit openai ora p-limit p-map p-queue p-retry parcel parse5 passport passport-jwt passport-local path-to-regexp
  pdf-lib pdfkit pg phaser picocolors picomatch pino pino-pretty pixi.js playwright playwright-core plotly.js pm2 pnpm
  postcss postcss-loader postgres preact prettier prettier-plugin-tailwindcss prisma prom-client prompts prop-types
  protobufjs pug puppeteer puppeteer-core q qs query-string radash ramda raw-body react react-bootstrap react-chartjs-2
  react-dom react-dropzone react-hook-form react-hot-toast react-i18next react-icons react-intl react-markdown
  react-modal react-native react-native-gesture-handler react-native-reanimated react-native-screens react-native-svg
  react-native-web react-navigation react-query react-redux react-router react-router-dom react-scripts react-select
  react-spring react-table react-test-renderer react-toastify react-transition-group react-use react-window recharts
  redis redux redux-saga redux-thunk reflect-metadata regenerator-runtime remark request request-promise reselect resolve
  restify rimraf rollup rxjs rollup-plugin-commonjs rollup-plugin-node-resolve
  rollup-plugin-typescript safe-buffer safer-buffer sanitize-html sass sass-loader selenium-webdriver semver sequelize serve
  serverless sharp shelljs shx signal-exit simple-git sinon slugify socket.io socket.io-client solc solid-js
  source-map source-map-support spawn-sync sqlite3 ssh2 storybook string-width stripe strip-ansi style-loader
  styled-components stylelint stylus superagent supertest svelte svgo swagger-jsdoc swagger-ui-express swiper swr
  tailwind-merge tailwindcss tap tape tar telegraf terser terser-webpack-plugin three through2 tinyglobby tmp ts-jest
  ts-loader ts-node tsc-alias tsconfig-paths tslib tslint tsup ttypescript tsx turbo turndown tweetnacl twilio type-fest typedoc typeorm
  typescript typescript-eslint uglify-js underscore undici unified unplugin-auto-import url-loader urql use-debounce uuid
  uvu valibot validator vee-validate vercel viem vite vite-tsconfig-paths vitest vue vue-i18n vue-router vuetify vuex wagmi
  watchpack web-vitals web3 webpack webpack-bundle-analyzer webpack-cli webpack-dev-server webpack-merge which winston
  wrangler ws xlsx xml2js xstate yaml yargs yarn yup zod zone.js zustand zx
`);

export const popularPypi: ReadonlySet<string> = words(`
  absl-py accelerate aiobotocore aiofiles aiohttp aiosqlite airflow alembic altair annotated-types ansible anthropic
  anyio apache-airflow apispec appdirs apscheduler arrow asgiref asyncpg attrs autopep8 awscli azure-core azure-identity
  azure-storage-blob babel backoff bandit bcrypt beautifulsoup4 billiard biopython bitsandbytes black bleach blinker
  bokeh boto3 botocore bottle bs4 cachetools cattrs celery certifi cffi channels chardet charset-normalizer cherrypy
  chromadb click cloudpickle colorama coloredlogs colorlog conda configparser coverage crewai cryptography cssselect
  cupy cycler cython dash dask databricks-sdk datasets dateparser datetime deepdiff deepspeed diffusers dill
  discord-py distlib django django-allauth django-cors-headers django-debug-toolbar django-environ django-extensions
  django-filter django-redis django-storages djangorestframework dnspython docker docopt docutils docx duckdb
  ecdsa einops elasticsearch email-validator emoji eventlet execnet fabric faiss-cpu faker fastapi fastavro fastmcp
  filelock fire flake8 flask flask-admin flask-caching flask-cors flask-jwt-extended flask-login flask-mail
  flask-migrate flask-restful flask-socketio flask-sqlalchemy flask-wtf flax fonttools fpdf2 freezegun frozenlist
  fsspec future gensim geopandas gevent gitpython google-api-python-client google-auth google-cloud-bigquery
  google-cloud-storage google-generativeai gradio graphene graphql-core greenlet grpcio grpcio-tools gunicorn gym
  gymnasium h11 h5py hatchling html5lib httpcore httplib2 httptools httpx huggingface-hub humanize hvac hydra-core
  hypothesis idna imageio imbalanced-learn importlib-metadata inflection iniconfig invoke ipdb ipykernel ipython
  ipywidgets isort itsdangerous jax jedi jinja2 jmespath joblib json5 jsonpatch jsonpath-ng jsonschema jupyter
  jupyterlab jwcrypto kafka-python keras keyring kombu kubernetes lancedb langchain langchain-community langchain-core
  langchain-openai langgraph langsmith lightgbm litellm llama-index lightning llvmlite locust loguru lxml lz4 mako
  marimo markdown markdown-it-py markupsafe marshmallow matplotlib mccabe mcp mistune mkdocs mkdocs-material mlflow
  mock moto more-itertools motor mpmath msal msgpack multidict mypy mypy-extensions mysql-connector-python mysqlclient
  nats-py nbconvert nbformat neo4j networkx nltk nose notebook numba numpy nvidia-ml-py oauthlib ollama onnx
  onnxruntime openai opencv-python opencv-python-headless openpyxl opentelemetry-api opentelemetry-sdk optuna orjson
  packaging paho-mqtt pandas pandera paramiko parso passlib pathspec peewee pendulum pexpect pgvector pika pillow
  pinecone pip pip-tools pipenv pipx playwright plotly pluggy poetry poetry-core polars pre-commit prefect prettytable
  prometheus-client prompt-toolkit protobuf psutil psycopg psycopg2 psycopg2-binary py pyarrow pyasn1 pycodestyle
  pycparser pycryptodome pydantic pydantic-ai pydantic-core pydantic-settings pydub pyflakes pygame pygithub pygments
  pyinstaller pyjwt pylint pymongo pymysql pynacl pyodbc pyopenssl pyparsing pypdf pypdf2 pyperclip pyproj pyqt5 pyqt6
  pyright pyserial pyside6 pyspark pytest pytest-asyncio pytest-cov pytest-django pytest-mock pytest-xdist
  python-dateutil python-decouple python-docx python-dotenv python-gitlab python-jose python-multipart python-pptx
  python-slugify python-telegram-bot pytorch-lightning pytz pywin32 pyyaml pyzmq qdrant-client qrcode rapidfuzz ray
  redis regex reportlab requests requests-oauthlib requests-toolbelt responses rich rq rsa ruamel-yaml ruff s3fs
  s3transfer sacrebleu safetensors sanic scikit-image scikit-learn scipy scrapy seaborn selenium sentence-transformers
  sentencepiece sentry-sdk setuptools setuptools-scm shap shapely simplejson simpy six slack-sdk slowapi sniffio
  snowflake-connector-python sortedcontainers soupsieve spacy sphinx sphinx-rtd-theme sqlalchemy sqlmodel sqlparse
  starlette statsmodels streamlit stripe structlog supabase sympy tabulate telethon tenacity tensorboard tensorflow
  termcolor testcontainers textblob textual thefuzz threadpoolctl thrift tiktoken timm tokenizers toml tomli tomlkit
  toolz torch torchaudio torchvision tornado tox tqdm traitlets transformers trio trl tweepy twilio twine twisted typer
  types-pyyaml types-requests typing-extensions tzdata tzlocal ujson ultralytics unidecode unstructured urllib3 uv
  uvicorn uvloop validators vcrpy virtualenv wandb watchdog watchfiles wcwidth webdriver-manager weasyprint websocket-client
  websockets werkzeug wheel whitenoise wrapt wtforms xarray xgboost xlrd xlsxwriter xmltodict yapf yarl yfinance zeep
  zipp zstandard
`);
