from benchmark.construct.payload.wordings.web import WORDINGS
